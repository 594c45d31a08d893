package main

import (
	"encoding/json"
	"io"

	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/loadgen"
)

// announceFlag is for whoever has started us and looks at the server while we load it.
const announceFlag = "announce"

// registerAnnounce declares it, without listing it: no person can use what it writes.
func (o *loadOptions) registerAnnounce(f *pflag.FlagSet) {
	f.BoolVar(&o.announce, announceFlag, false, "write the timeline on stderr before the first request")
	f.Lookup(announceFlag).Hidden = true
}

// announcer writes the timeline as one line of JSON, in ns of CLOCK_MONOTONIC, which all
// processes of a host have in common; nil when nobody asked for it. When the line cannot
// be written nobody is left who could be told.
func (o *loadOptions) announcer(out io.Writer) func(loadgen.Timeline) {
	if !o.announce {
		return nil
	}
	return func(t loadgen.Timeline) { _ = json.NewEncoder(out).Encode(t) }
}
