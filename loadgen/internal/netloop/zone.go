package netloop

import (
	"net"
	"strconv"
)

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
