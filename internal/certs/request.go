package certs

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
)

const (
	defaultDays = 90
	maxDays     = 3650
)

// Request says what certificates are for. The zero value is complete: this host,
// for 90 days.
type Request struct {
	// Names are the host names, also with * as the first label, and the IP
	// addresses that a client may ask for. None: [DefaultNames].
	Names []string

	// Days is how long the certificates are valid, 1 to 3650. They become so an
	// hour before they are made, for clients whose clock is late. 0: 90.
	Days int
}

// DefaultNames are the names of this host for itself.
func DefaultNames() []string { return []string{"localhost", "127.0.0.1", "::1"} }

// Validate returns all faults of r joined, nil when there is none.
func (r Request) Validate() error {
	var faults []error
	for i, name := range r.Names {
		switch {
		case !isAddress(name) && !isHostName(name):
			faults = append(faults, fmt.Errorf("name %q: expected a host name such as localhost or an IP address", name))
		case slices.Contains(r.Names[:i], name):
			faults = append(faults, fmt.Errorf("name %q is there twice", name))
		}
	}
	if r.Days < 0 || r.Days > maxDays {
		faults = append(faults, fmt.Errorf("%d days: expected 1 to %d", r.Days, maxDays))
	}
	return errors.Join(faults...)
}

// withDefaults returns r with its zero fields filled in.
func (r Request) withDefaults() Request {
	if len(r.Names) == 0 {
		r.Names = DefaultNames()
	}
	if r.Days == 0 {
		r.Days = defaultDays
	}
	return r
}

// isAddress tells whether name is an IP address; one with a zone names an
// interface of one host, which no certificate can.
func isAddress(name string) bool {
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.Zone() == ""
}

const maxHostNameBytes = 253 // RFC 1035, 2.3.4, without the length octets

// Labels of letters, digits and hyphens (RFC 1123, 2.1), and the underscores that
// are in use all the same; a * is the whole first label (RFC 9525, 6.3). The last
// label does not begin with a digit, or it would be a mistyped address.
var hostName = regexp.MustCompile(`^(\*\.)?([a-zA-Z0-9]([a-zA-Z0-9_-]{0,61}[a-zA-Z0-9])?\.)*[a-zA-Z]([a-zA-Z0-9_-]{0,61}[a-zA-Z0-9])?$`)

func isHostName(name string) bool {
	return len(name) <= maxHostNameBytes && hostName.MatchString(name)
}
