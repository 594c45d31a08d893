package suite

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// minCapacity is the least share of what a server can do: below it a load says nothing
// about the server.
const minCapacity = 0.01

var loadKeys = keyTable{
	what:  "load",
	known: []string{"kind", "rate", "arrival"},
	must:  []string{"kind"},
	hints: map[string]string{"connections": "it stands in the scenario, beside load"},
}

// load reads how requests are started, and tells what only the other kind has.
func (r *reader) load(f field) Load {
	var load Load
	var rateAt, arrivalAt, kindAt ast.Node
	for _, f := range r.fields(f.val, loadKeys) {
		switch f.key {
		case "kind":
			before := len(r.faults)
			load.Kind = choice(r, f, option[LoadKind]{word: "closed", value: Closed}, option[LoadKind]{word: "open", value: Open})
			if len(r.faults) == before {
				kindAt = f.val
			}
		case "rate":
			rateAt = f.name
			if text, ok := scalarText(f.val); ok && strings.HasSuffix(text, "%") {
				load.CapacityFrac = r.share(f, minCapacity, 1)
			} else {
				load.Rate = r.rate(f)
			}
		case "arrival":
			load.Arrival = choice(r, f, option[Arrival]{word: "constant", value: Constant}, option[Arrival]{word: "poisson", value: Poisson})
			arrivalAt = f.name
		}
	}
	switch {
	case kindAt == nil: // its fault is told
	case load.Kind == Open && rateAt == nil:
		r.fault(kindAt, "kind: open needs the key \"rate\" beside it")
	case load.Kind == Closed:
		r.onlyOpen("rate", rateAt)
		r.onlyOpen("arrival", arrivalAt)
	}
	return load
}

// onlyOpen tells a key that a closed load does not have; nil: it is not there.
func (r *reader) onlyOpen(key string, at ast.Node) {
	if at != nil {
		r.fault(at, "key %q in load: only kind: open has it, a closed load follows the server", key)
	}
}

// rate reads a number or a text, in a notation that checkRate knows.
func (r *reader) rate(f field) string {
	text, ok := r.text(f, "requests a second such as 1000")
	if !ok {
		return ""
	}
	if text == "" {
		r.fault(f.val, "rate: an empty text, expected requests a second such as 1000")
		return ""
	}
	if r.checkRate != nil {
		if err := r.checkRate(text); err != nil {
			r.fault(f.val, "%v", err)
		}
	}
	return text
}
