package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/scalws/scalbench/internal/probe"
)

// probeOutput writes what is seen of probes while they go on: for ndjson, and for
// text with -v, a line for each on stdout; a line a second on stderr otherwise.
// Lines a second are not written over each other on a terminal as load's are:
// how it was a minute ago is what one looks for.
type probeOutput struct {
	options *probeOptions
	std     streams
	stop    func()
	failure error // the first of writing; it stops the probes, for nobody reads them
}

// probe is called with each probe that has ended.
func (o *probeOutput) probe(p *probe.Probe) {
	var err error
	switch {
	case o.failure != nil:
	case o.options.format == "ndjson":
		err = json.NewEncoder(o.std.out).Encode(p)
	case o.options.format == "text" && o.options.verbose:
		_, err = fmt.Fprintln(o.std.out, p.Line())
	}
	if err != nil {
		o.failure = fmt.Errorf("write result: %w", err)
		o.stop()
	}
}

// row is called once a second.
func (o *probeOutput) row(r probe.Row) {
	if !o.options.quiet && !(o.options.format == "text" && o.options.verbose) {
		fmt.Fprintln(o.std.err, r.Line())
	}
}

// summary writes what it came to, into the file of -o and to stdout.
func (o *probeOutput) summary(s *probe.Summary, file *resultFile) error {
	err := file.write(s)
	var failure error
	switch {
	case o.failure != nil: // told already
	case o.options.format == "json":
		failure = writeJSON(o.std.out, s)
	case o.options.format == "text":
		failure = s.WriteText(o.std.out)
	}
	if failure != nil {
		err = errors.Join(err, fmt.Errorf("write result: %w", failure))
	}
	return err
}
