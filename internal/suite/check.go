package suite

import (
	"slices"

	"github.com/goccy/go-yaml/ast"
)

// once tells names that are there twice, in one file or several.
type once struct {
	what  string
	first map[string]Position
}

// see records a name at its place; nil: the place is missing.
func (o *once) see(name string, in *reader, at ast.Node) {
	if name == "" || at == nil {
		return // told already
	}
	here := in.place(at)
	first, twice := o.first[name]
	switch {
	case !twice:
		if o.first == nil {
			o.first = map[string]Position{}
		}
		o.first[name] = here
	case first.File == here.File:
		in.fault(at, "%s %q is there twice, first on line %d", o.what, name, first.Line)
	default:
		in.fault(at, "%s %q is there twice, first in %s on line %d", o.what, name, first.File, first.Line)
	}
}

// checkNames tells scenarios that cannot be told apart: tables have a row for each
// mode and name.
func checkNames(scenarios []placed) {
	byMode := map[string]*once{}
	for _, sc := range scenarios {
		if byMode[sc.Mode] == nil {
			byMode[sc.Mode] = &once{what: "scenario"}
		}
		byMode[sc.Mode].see(sc.Name, sc.in, sc.nameAt)
	}
}

// checkMargins tells margins under a policy that has none.
func checkMargins(p Policy, scenarios []placed) {
	for _, sc := range scenarios {
		if sc.marginAt != nil && p != NonInferior {
			sc.in.fault(sc.marginAt, "key \"margin\" in scenario %q: only policy: %s has it, and the gate's is %s", sc.Name, NonInferior, p)
		}
	}
}

// checkTarget tells paths that nobody serves. The target may stand after the
// scenarios, so that this waits for the whole file.
func checkTarget(target Target, hasVariants bool, scenarios []placed) {
	for _, sc := range scenarios {
		if target == TargetNone && !hasVariants && sc.isPath() {
			sc.in.fault(sc.urlAt, `url: %q is a path, expected "target: embedded" in the suite or a full URL`, sc.URL)
		}
	}
}

func checkVariants(variants []placedVariant) {
	names := once{what: "variant"}
	for _, v := range variants {
		names.see(v.Name, v.in, v.nameAt)
	}
}

// checkPorts tells variants that have no port for a path that they are asked for,
// once for each port.
func checkPorts(variants []placedVariant, scenarios []placed) {
	for _, v := range variants {
		var told []string
		for _, sc := range scenarios {
			name := portName(sc.Scenario)
			has := slices.ContainsFunc(v.Ports, func(p Port) bool { return p.Name == name })
			if v.nameAt == nil || !sc.isPath() || has || slices.Contains(told, name) || len(v.Lacks(sc.Needs)) > 0 {
				continue
			}
			told = append(told, name)
			v.in.fault(v.nameAt, "variant %q has no port %q, at which scenario %q asks for %s, expected it in ports",
				v.Name, name, sc.Name, sc.URL)
		}
	}
}

// placedHelper is a helper of the suite with the node of its name.
type placedHelper struct {
	Helper
	in     *reader
	nameAt ast.Node
}

func (r *reader) placedHelpers(f field) []placedHelper {
	var placed []placedHelper
	for i, h := range r.helpers(f) {
		entry := f.val.(*ast.SequenceNode).Values[i] // helpers has an entry for each
		placed = append(placed, placedHelper{Helper: h, in: r, nameAt: entry})
	}
	return placed
}

// checkHelpers tells helpers of the suite and of a scenario that have one name: both
// run for it.
func checkHelpers(p *parts) {
	for _, h := range p.helpers {
		for _, sc := range p.scenarios {
			same := func(own Helper) bool { return own.Name == h.Name && h.Name != "" }
			if slices.ContainsFunc(sc.Helpers, same) {
				h.in.fault(h.nameAt, "helper %q is one of scenario %q, too, and both would run for it", h.Name, sc.Name)
				break
			}
		}
	}
}

// checkWords tells placeholders that nothing stands for.
func (j *job) checkWords(p *parts) {
	var helpers []string
	know := func(h Helper) { helpers = append(helpers, h.Name, h.Name+addressSuffix) }
	for _, h := range p.helpers {
		know(h.Helper)
	}
	for _, sc := range p.scenarios {
		for _, h := range sc.Helpers {
			know(h)
		}
	}
	for _, used := range j.words {
		known := slices.Concat(used.known, helpers, paramNames(j.params))
		switch near := Nearest(used.word, append(known, reservedWords...)); {
		case slices.Contains(known, used.word):
		case slices.Contains(reservedWords, used.word):
			used.in.fault(used.at, "{%s}: there is no %s that it could stand for", used.word, used.word)
		case near != "":
			used.in.fault(used.at, "unknown placeholder {%s}; did you mean {%s}? Two braces, {{%s}}, are the text itself", used.word, near, used.word)
		default:
			used.in.fault(used.at, "unknown placeholder {%s}; two braces, {{%s}}, are the text itself", used.word, used.word)
		}
	}
}
