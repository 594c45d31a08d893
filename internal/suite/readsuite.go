package suite

import "github.com/goccy/go-yaml/ast"

var suiteKeys = keyTable{
	what:  "a suite",
	known: []string{"suite", "about", "target", "scenarios"},
	must:  []string{"suite", "scenarios"},
	later: []string{"params", "host", "cpus", "placement", "plan", "quiet", "require", "variants", "compare", "gate",
		"helpers", "varies"},
	hints: map[string]string{"name": `a suite has its name under the key "suite"`},
}

// placed is a scenario with the nodes that checks across keys point at.
type placed struct {
	Scenario
	nameAt, urlAt, httpAt, tlsAt, caAt, streamsAt ast.Node // nil when the key is missing
}

// suite reads the root of the file.
func (r *reader) suite(root ast.Node) *Suite {
	s := new(Suite)
	var scenarios []placed
	for _, f := range r.fields(root, suiteKeys) {
		switch f.key {
		case "suite":
			s.Name = r.name(f)
		case "about":
			s.About = r.sentence(f)
		case "target":
			s.Target = choice(r, f, option[Target]{word: "embedded", value: TargetEmbedded})
		case "scenarios":
			scenarios = r.scenarios(f)
		}
	}
	r.checkNames(scenarios)
	r.checkTarget(s.Target, scenarios)
	for _, sc := range scenarios {
		s.Scenarios = append(s.Scenarios, sc.Scenario)
	}
	return s
}

func (r *reader) scenarios(f field) []placed {
	entries, ok := r.list(f, "a list of scenarios")
	if ok && len(entries) == 0 {
		r.fault(f.val, "scenarios: an empty list, expected at least one scenario")
	}
	var scenarios []placed
	for _, entry := range entries {
		if path, isText := scalarText(entry); isText {
			r.fault(entry, "scenario by path %q is not supported yet, write the scenario here", path)
			continue
		}
		scenarios = append(scenarios, r.scenario(entry))
	}
	return scenarios
}

// checkNames tells scenarios that cannot be told apart.
func (r *reader) checkNames(scenarios []placed) {
	lineOf := make(map[string]int)
	for _, sc := range scenarios {
		if sc.Name == "" {
			continue // told already
		}
		line, _ := position(sc.nameAt)
		if first, twice := lineOf[sc.Name]; twice {
			r.fault(sc.nameAt, "scenario %q is there twice, first on line %d", sc.Name, first)
			continue
		}
		lineOf[sc.Name] = line
	}
}

// checkTarget tells paths that nobody serves. The target may stand after the
// scenarios, so that this waits for the whole file.
func (r *reader) checkTarget(target Target, scenarios []placed) {
	for _, sc := range scenarios {
		if target == TargetNone && sc.UsesTarget() {
			r.fault(sc.urlAt, `url: %q is a path, expected "target: embedded" in the suite or a full URL`, sc.URL)
		}
	}
}
