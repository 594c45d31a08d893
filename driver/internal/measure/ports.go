package measure

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"slices"

	"github.com/scalws/scalbench/internal/procfs"
	"github.com/scalws/scalbench/internal/serverproc"
	"github.com/scalws/scalbench/internal/suite"
)

// loopback is where variants are asked.
var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// portAt is a port at which a variant is asked.
func portAt(network procfs.Network, number int) serverproc.Port {
	return serverproc.Port{Network: network, Addr: netip.AddrPortFrom(loopback, uint16(number))}
}

// numbered returns ports with a number for each that has none. What the helpers of a
// variant have got is listened at when the next ports are drawn.
func (b *Bench) numbered(ports []suite.Port, owner string) ([]suite.Port, error) {
	ports = slices.Clone(ports)
	b.draws++
	random := rand.New(rand.NewPCG(b.config.Seed, b.draws))
	var taken []int
	for _, p := range ports {
		taken = append(taken, p.Number)
	}
	for i := range ports {
		if ports[i].Number != 0 {
			continue
		}
		number, err := freePort(random, taken)
		if err != nil {
			return nil, fmt.Errorf("port %s of %s: %w", ports[i].Name, owner, err)
		}
		ports[i].Number = number
		taken = append(taken, number)
	}
	return ports, nil
}

// portTries is after how many taken ones a free port is given up.
const portTries = 100

// freePort draws a port at which nobody listens, over TCP or UDP: the same number carries
// HTTP/3.
func freePort(random *rand.Rand, taken []int) (int, error) {
	local, _ := os.ReadFile(procDir + "/sys/net/ipv4/ip_local_port_range") // unread it is the usual one
	first, last := servable(string(local))
	var err error
	for range portTries {
		number := first + random.IntN(last-first+1)
		if slices.Contains(taken, number) {
			continue
		}
		if err = serverproc.FreePorts([]serverproc.Port{portAt(procfs.TCP, number), portAt(procfs.UDP, number)}); err == nil {
			return number, nil
		}
	}
	return 0, fmt.Errorf("none of %d is free, the last: %w", portTries, err)
}

// servable are the ports from which free ones are drawn: those beside the range that the
// kernel takes for connections, text being net.ipv4.ip_local_port_range. Inside it a
// connection of the generator, or one that waits in TIME_WAIT, may sit on the very port
// between two starts; asking the kernel for a free one, by binding port 0, gives such.
func servable(text string) (first, last int) {
	const lowest, highest, least = 10000, 65535, 1000
	low, high := 32768, 60999 // net.ipv4.ip_local_port_range, where nobody has set it
	_, _ = fmt.Sscan(text, &low, &high)
	switch {
	case low-lowest >= least:
		return lowest, low - 1
	case highest-high >= least:
		return high + 1, highest
	}
	return lowest, highest
}

// listening are the ports at which the variant answers scenarios, each named http or
// https; the others are its own affair. Over UDP it is the https port, when a scenario of
// the suite asks it so.
func (b *Bench) listening(v suite.Variant) []serverproc.Port {
	var ports []serverproc.Port
	for _, p := range v.Ports {
		if p.Name == "http" || p.Name == "https" {
			ports = append(ports, portAt(procfs.TCP, p.Number))
		}
		if p.Name == "https" && b.asksHTTP3(v) {
			ports = append(ports, portAt(procfs.UDP, p.Number))
		}
	}
	return ports
}

// asksHTTP3 reports whether a scenario asks the variant over HTTP/3.
func (b *Bench) asksHTTP3(v suite.Variant) bool {
	return slices.ContainsFunc(b.config.Suite.Scenarios, func(sc suite.Scenario) bool {
		return sc.HTTP == suite.HTTP3 && isPath(sc) && len(v.Lacks(sc.Needs)) == 0
	})
}

// mustBeFree are the ports that nobody else may have when the variant is started.
func (b *Bench) mustBeFree(v suite.Variant) []serverproc.Port {
	ports := b.listening(v)
	for _, p := range v.Ports {
		if tcp := portAt(procfs.TCP, p.Number); !slices.Contains(ports, tcp) {
			ports = append(ports, tcp)
		}
	}
	return ports
}
