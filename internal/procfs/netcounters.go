package procfs

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// NetCounters are events of the network stack that a load test must know of:
// each costs somebody a wait that looks like a slow server. They count since boot,
// for all sockets of the network namespace, ours or not, client or server.
// A counter that the kernel does not have stays 0.
//
// Source: kernel documentation, networking/snmp_counter.rst.
type NetCounters struct {
	// ListenOverflows counts connections that found the accept queue of their
	// listener full: the server did not accept fast enough, or its backlog is
	// short. The client tries again after a second.
	ListenOverflows uint64
	// ListenDrops counts all connections that a listener dropped, for want of
	// memory say; ListenOverflows are among them.
	ListenDrops uint64
	// SYNQueueDrops counts first packets dropped because too many handshakes
	// were under way; SYNCookies those answered with a cookie instead, which
	// costs no wait.
	SYNQueueDrops uint64
	SYNCookies    uint64

	// RetransmittedSegments counts TCP segments sent again, for whatever reason.
	// Not each stands for a lost one: LossProbes are sent as soon as an
	// acknowledgement is late, on loopback too.
	RetransmittedSegments uint64
	LossProbes            uint64 // RFC 8985 section 7; few carry new data and are no retransmission
	Timeouts              uint64 // retransmission timers that ran out: at least 200 ms of silence each
	LostRetransmits       uint64 // segments sent again that were lost again

	// UDPInErrors counts datagrams that arrived and were not delivered, of IPv4
	// and IPv6 together; UDPReceiveDrops are those among them for which the
	// receive buffer of the socket had no room.
	UDPInErrors     uint64
	UDPReceiveDrops uint64
	// UDPSendDrops counts datagrams that found no room in the send buffer.
	UDPSendDrops uint64
}

// NetCounters reads net/netstat, net/snmp and net/snmp6. The last is absent on
// a host without IPv6.
func (f FS) NetCounters() (NetCounters, error) {
	var c NetCounters
	for _, name := range []string{"net/netstat", "net/snmp", "net/snmp6"} {
		data, err := os.ReadFile(filepath.Join(f.root, name))
		if errors.Is(err, fs.ErrNotExist) && name == "net/snmp6" {
			continue
		}
		if err != nil {
			return NetCounters{}, err
		}
		parse := c.addTable
		if name == "net/snmp6" {
			parse = c.addList
		}
		if err := parse(data); err != nil {
			return NetCounters{}, fmt.Errorf("read %s: %w", name, err)
		}
	}
	return c, nil
}

// Sub returns what was counted since an earlier reading. The kernel never resets
// these counters: one that went back was read in another namespace, or has
// wrapped around at 32 bits, and counts as 0.
func (c NetCounters) Sub(earlier NetCounters) NetCounters {
	since := func(later, earlier uint64) uint64 { return later - min(earlier, later) }
	return NetCounters{
		ListenOverflows: since(c.ListenOverflows, earlier.ListenOverflows),
		ListenDrops:     since(c.ListenDrops, earlier.ListenDrops),
		SYNQueueDrops:   since(c.SYNQueueDrops, earlier.SYNQueueDrops),
		SYNCookies:      since(c.SYNCookies, earlier.SYNCookies),

		RetransmittedSegments: since(c.RetransmittedSegments, earlier.RetransmittedSegments),
		LossProbes:            since(c.LossProbes, earlier.LossProbes),
		Timeouts:              since(c.Timeouts, earlier.Timeouts),
		LostRetransmits:       since(c.LostRetransmits, earlier.LostRetransmits),

		UDPInErrors:     since(c.UDPInErrors, earlier.UDPInErrors),
		UDPReceiveDrops: since(c.UDPReceiveDrops, earlier.UDPReceiveDrops),
		UDPSendDrops:    since(c.UDPSendDrops, earlier.UDPSendDrops),
	}
}

// addTable reads pairs of lines "Group: NAME NAME ..." and "Group: 1 2 ...".
func (c *NetCounters) addTable(data []byte) error {
	var names []string
	for line := range bytes.Lines(data) {
		fields := strings.Fields(string(line))
		if len(fields) == 0 {
			continue
		}
		if names == nil {
			names = fields
			continue
		}
		if len(fields) != len(names) || fields[0] != names[0] {
			return fmt.Errorf("line %.40q does not hold the values of %.40q", line, strings.Join(names, " "))
		}
		group := strings.TrimSuffix(names[0], ":")
		for i := 1; i < len(names); i++ {
			if err := c.add(group+"."+names[i], fields[i]); err != nil {
				return err
			}
		}
		names = nil
	}
	if names != nil {
		return fmt.Errorf("line %.40q is not followed by its values", strings.Join(names, " "))
	}
	return nil
}

// addList reads lines "NAME VALUE".
func (c *NetCounters) addList(data []byte) error {
	for line := range bytes.Lines(data) {
		fields := strings.Fields(string(line))
		if len(fields) != 2 {
			continue
		}
		if err := c.add(fields[0], fields[1]); err != nil {
			return err
		}
	}
	return nil
}

// add adds a value to the counter with the kernel's name. Others are skipped:
// some are negative.
func (c *NetCounters) add(name, value string) error {
	counter := c.named(name)
	if counter == nil {
		return nil
	}
	n, err := strconv.ParseUint(value, 10, 64)
	if err != nil {
		return fmt.Errorf("%s %q is not a count", name, value)
	}
	*counter += n
	return nil
}

// named finds a counter by the kernel's name for it; nil for one that is not
// used.
func (c *NetCounters) named(name string) *uint64 {
	switch name {
	case "TcpExt.ListenOverflows":
		return &c.ListenOverflows
	case "TcpExt.ListenDrops":
		return &c.ListenDrops
	case "TcpExt.TCPReqQFullDrop":
		return &c.SYNQueueDrops
	case "TcpExt.TCPReqQFullDoCookies":
		return &c.SYNCookies
	case "Tcp.RetransSegs":
		return &c.RetransmittedSegments
	case "TcpExt.TCPLossProbes":
		return &c.LossProbes
	case "TcpExt.TCPTimeouts":
		return &c.Timeouts
	case "TcpExt.TCPLostRetransmit":
		return &c.LostRetransmits
	case "Udp.InErrors", "Udp6InErrors":
		return &c.UDPInErrors
	case "Udp.RcvbufErrors", "Udp6RcvbufErrors":
		return &c.UDPReceiveDrops
	case "Udp.SndbufErrors", "Udp6SndbufErrors":
		return &c.UDPSendDrops
	}
	return nil
}
