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

// tableListeners reads the table of IPv4 and that of IPv6. A host without IPv6
// has no second table.
func (f FS) tableListeners(k kind, port uint16) ([]Listener, error) {
	var all []Listener
	for _, name := range []string{k.table(), k.table() + "6"} {
		data, err := os.ReadFile(filepath.Join(f.root, name))
		if errors.Is(err, fs.ErrNotExist) && strings.HasSuffix(name, "6") {
			continue
		}
		if err != nil {
			return nil, err
		}
		listeners, err := parseTable(data, k, port)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		all = append(all, listeners...)
	}
	return all, nil
}

// Columns of /proc/net/tcp, and of udp. Source: kernel documentation, networking/proc_net_tcp.rst.
const (
	tableLocal = 1 // ADDRESS:PORT in hexadecimal
	tableState = 3 // in hexadecimal
	tableUID   = 7
	tableInode = 9
)

// parseTable keeps the listeners on a port. The first line is the heading.
func parseTable(data []byte, k kind, port uint16) ([]Listener, error) {
	var listeners []Listener
	_, rows, _ := bytes.Cut(data, []byte("\n"))
	for row := range bytes.Lines(rows) {
		columns := strings.Fields(string(row))
		if len(columns) <= tableInode {
			return nil, fmt.Errorf("row %q has %d columns, want more than %d", row, len(columns), tableInode)
		}
		if columns[tableState] != fmt.Sprintf("%02X", k.state()) {
			continue
		}
		addr, err := parseTableAddr(columns[tableLocal])
		if err != nil {
			return nil, err
		}
		if addr.Port() != port {
			continue
		}
		uid, uidErr := strconv.Atoi(columns[tableUID])
		inode, inodeErr := strconv.ParseUint(columns[tableInode], 10, 64)
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
