package netloop

import (
	"net"
	"net/netip"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Address is a TCP address in the form in which the kernel takes it, made once
// so that connecting allocates nothing. The zero value is not usable.
type Address struct {
	family int
	raw    unix.RawSockaddrInet6 // an IPv4 address lies in its first 16 bytes
	size   uintptr
}

// NewAddress converts an address (ip(7), ipv6(7)).
func NewAddress(a netip.AddrPort) Address {
	ip := a.Addr()
	port := a.Port()<<8 | a.Port()>>8 // network byte order
	if ip.Is4() || ip.Is4In6() {
		to := Address{family: unix.AF_INET, size: unix.SizeofSockaddrInet4}
		v4 := (*unix.RawSockaddrInet4)(unsafe.Pointer(&to.raw))
		*v4 = unix.RawSockaddrInet4{Family: unix.AF_INET, Port: port, Addr: ip.Unmap().As4()}
		return to
	}
	return Address{family: unix.AF_INET6, size: unix.SizeofSockaddrInet6, raw: unix.RawSockaddrInet6{
		Family: unix.AF_INET6, Port: port, Addr: ip.As16(), Scope_id: zoneIndex(ip.Zone()),
	}}
}

// zoneIndex turns the zone of an IPv6 address (RFC 4007) into the number of
// its interface; 0 when there is none.
func zoneIndex(zone string) uint32 {
	if zone == "" {
		return 0
	}
	if n, err := strconv.ParseUint(zone, 10, 32); err == nil {
		return uint32(n)
	}
	if i, err := net.InterfaceByName(zone); err == nil {
		return uint32(i.Index)
	}
	return 0
}
