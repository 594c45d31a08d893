package loadgen

import (
	"net/netip"
	"strings"

	"github.com/scalws/scalbench/internal/procfs"
)

// checkSources refuses source addresses that cannot reach the server's.
func checkSources(p Plan, s server) error {
	for _, ip := range p.SourceIPs {
		if ip.Is4() != s.address.Addr().Is4() {
			return faultf("source ip %s: the server is at %s, which is another IP version", ip, s.address.Addr())
		}
		if !isLocal(ip) {
			return faultf("source ip %s: not an address of this host", ip)
		}
	}
	return nil
}

// portsWarning tells before a run that it needs more local ports than there
// are. A connection occupies the pair of its local address and port towards the
// server's, from connecting until it is closed; where the server closes first,
// as it does after a last request, the port is free at once. Where it leaves
// that to us, the port stays occupied for another minute (TIME_WAIT): then a
// new connection for each request cannot be kept up for longer than there are
// ports for.
func portsWarning(p Plan, fs procfs.FS) []Warning {
	ports, err := fs.LocalPorts()
	if err != nil {
		return nil
	}
	from, sources := "one source address", 1
	if n := len(p.SourceIPs); n > 0 {
		from, sources = grouped(n)+" source addresses", n
	}
	all := ports * sources
	if p.Connections <= all {
		return nil
	}
	return []Warning{warningf(EphemeralPortsLow,
		"%s connections need more local ports than the %s there are (net.ipv4.ip_local_port_range, %s): more sources bring more",
		grouped(p.Connections), grouped(all), from)}
}

// ParseSources reads a list of addresses and ranges of addresses: "127.0.0.1",
// "127.0.0.1-127.0.0.20", "10.0.0.1,10.0.0.7". Both ends of a range belong to
// it.
func ParseSources(list string) ([]netip.Addr, error) {
	var ips []netip.Addr
	for item := range strings.SplitSeq(list, ",") {
		first, last, ranged := strings.Cut(item, "-")
		if !ranged {
			last = first
		}
		from, err := netip.ParseAddr(strings.TrimSpace(first))
		if err != nil {
			return nil, faultf("source ip %q: want an address, or two joined by -", item)
		}
		to, err := netip.ParseAddr(strings.TrimSpace(last))
		if err != nil || from.Is4() != to.Is4() || to.Less(from) {
			return nil, faultf("source ip %q: want a first address, -, and a last one that is not before it", item)
		}
		for ip := from; ; ip = ip.Next() {
			ips = append(ips, ip)
			if len(ips) > sourcesMax {
				return nil, faultf("source ip %q: more than %d addresses", list, sourcesMax)
			}
			if ip == to {
				break
			}
		}
	}
	return ips, nil
}

// sourcesMax keeps a mistyped range from becoming millions of addresses.
const sourcesMax = 65_536
