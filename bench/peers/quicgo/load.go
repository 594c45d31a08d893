package quicgo

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Load is what the client is asked to do: closed loop, GET. Its zero value makes
// no sense; [Load.Validate] says so.
type Load struct {
	URL         string // https, with a port
	Connections int    // at least 1
	Streams     int    // requests at a time on a connection, at least 1
	Duration    time.Duration
	Header      http.Header // of every request; nil for none but what http3 adds
}

// ParseLoad reads arguments and validates what they say. Usage goes to stderr.
func ParseLoad(args []string, stderr io.Writer) (Load, error) {
	l := Load{Header: make(http.Header)}
	flags := flag.NewFlagSet(Mode, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&l.Connections, "c", 1, "`connections`")
	flags.IntVar(&l.Streams, "p", 1, "`requests` at a time on each")
	flags.DurationVar(&l.Duration, "z", time.Second, "`duration`")
	flags.Func("H", "`field` of every request, \"Name: value\"", func(field string) error {
		name, value, found := strings.Cut(field, ":")
		if !found {
			return fmt.Errorf("field %q has no colon", field)
		}
		l.Header.Add(name, strings.TrimSpace(value))
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return Load{}, err
	}
	if flags.NArg() != 1 {
		return Load{}, fmt.Errorf("%d arguments after the flags, want one URL", flags.NArg())
	}
	l.URL = flags.Arg(0)
	return l, l.Validate()
}

// Validate names everything that makes no sense.
func (l Load) Validate() error {
	var faults []error
	if u, err := url.Parse(l.URL); err != nil {
		faults = append(faults, err)
	} else if u.Scheme != "https" || u.Port() == "" {
		faults = append(faults, fmt.Errorf("url %q: want https, and a port", l.URL))
	}
	if l.Connections < 1 {
		faults = append(faults, fmt.Errorf("%d connections: want at least 1", l.Connections))
	}
	if l.Streams < 1 {
		faults = append(faults, fmt.Errorf("%d requests at a time: want at least 1", l.Streams))
	}
	if l.Duration <= 0 {
		faults = append(faults, fmt.Errorf("duration %s: want more than 0", l.Duration))
	}
	return errors.Join(faults...)
}
