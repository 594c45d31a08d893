package procfs

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// tableListeners reads /proc/net/tcp and tcp6. A host without IPv6 has no
// second table.
func (f FS) tableListeners(port uint16) ([]Listener, error) {
	var all []Listener
	for _, name := range []string{"net/tcp", "net/tcp6"} {
		data, err := os.ReadFile(filepath.Join(f.root, name))
		if errors.Is(err, fs.ErrNotExist) && name == "net/tcp6" {
			continue
		}
		if err != nil {
			return nil, err
		}
		listeners, err := parseNetTCP(data, port)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		all = append(all, listeners...)
	}
	return all, nil
}

// Columns of /proc/net/tcp. Source: kernel documentation, networking/proc_net_tcp.rst.
const (
	tcpLocal  = 1 // ADDRESS:PORT in hexadecimal
	tcpState  = 3
	tcpUID    = 7
	tcpInode  = 9
	tcpListen = "0A"
)

// parseNetTCP keeps the listeners on a port. The first line is the heading.
func parseNetTCP(data []byte, port uint16) ([]Listener, error) {
	var listeners []Listener
	_, rows, _ := bytes.Cut(data, []byte("\n"))
	for row := range bytes.Lines(rows) {
		columns := strings.Fields(string(row))
		if len(columns) <= tcpInode {
			return nil, fmt.Errorf("row %q has %d columns, want more than %d", row, len(columns), tcpInode)
		}
		if columns[tcpState] != tcpListen {
			continue
		}
		addr, err := parseTableAddr(columns[tcpLocal])
		if err != nil {
			return nil, err
		}
		if addr.Port() != port {
			continue
		}
		uid, uidErr := strconv.Atoi(columns[tcpUID])
		inode, inodeErr := strconv.ParseUint(columns[tcpInode], 10, 64)
		if err := errors.Join(uidErr, inodeErr); err != nil {
			return nil, fmt.Errorf("row %q: %w", row, err)
		}
		listeners = append(listeners, Listener{Addr: addr, UID: uid, Inode: inode})
	}
	return listeners, nil
}

// parseTableAddr reads "0100007F:1F90": 32-bit words of the address as the
// host's own numbers, so byte order is the host's inside each, and the port as
// a plain number.
func parseTableAddr(text string) (netip.AddrPort, error) {
	addrText, portText, _ := strings.Cut(text, ":")
	raw, err := hex.DecodeString(addrText)
	port, portErr := strconv.ParseUint(portText, 16, 16)
	if err != nil || portErr != nil || len(raw)%4 != 0 {
		return netip.AddrPort{}, fmt.Errorf("%q is not an address and a port", text)
	}
	for word := raw; len(word) > 0; word = word[4:] {
		binary.NativeEndian.PutUint32(word, binary.BigEndian.Uint32(word))
	}
	addr, ok := netip.AddrFromSlice(raw)
	if !ok {
		return netip.AddrPort{}, fmt.Errorf("%q is not an address and a port", text)
	}
	return netip.AddrPortFrom(addr, uint16(port)), nil
}
