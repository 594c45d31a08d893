package suite

import (
	"slices"

	"github.com/goccy/go-yaml/ast"
)

var gateKeys = keyTable{
	what:  "gate",
	known: []string{"policy", "max_margin", "min_ratio", "margin", "alpha", "limits", "spend", "interval", "on_inconclusive"},
	hints: map[string]string{"threshold": `it is "min_ratio"`},
}

var limitKeys = keyTable{what: "limits", known: []string{"p99", "p999", "rss", "cpu"}}

// policyOf is the one policy that a key is for.
var policyOf = map[string]Policy{
	"max_margin": Parity, "min_ratio": Fixed, "margin": NonInferior, "alpha": NonInferior, "spend": NonInferior, "on_inconclusive": NonInferior,
}

// gate reads the rule, and tells what only another policy has.
func (r *reader) gate(f field) Gate {
	var g Gate
	fields := r.fields(f.val, gateKeys)
	for _, f := range fields {
		switch f.key {
		case "policy":
			g.Policy = choice(r, f, words(Parity, Fixed, NonInferior)...)
		case "max_margin":
			g.MaxMargin = new(r.share(f, 0, 1))
		case "min_ratio":
			g.MinRatio = new(r.number(f, 0.01, 10))
		case "margin":
			g.Margin = new(r.share(f, 0.0001, 0.5))
		case "alpha":
			g.Alpha = new(r.number(f, 0.0001, 0.5))
		case "limits":
			g.Limits = r.limits(f)
		case "spend":
			g.Spend = choice(r, f, words(OBrienFleming, Power2)...)
		case "interval":
			g.Interval = choice(r, f, words(ByRounds, ByPairs, ByBootstrap)...)
		case "on_inconclusive":
			g.OnInconclusive = choice(r, f, words(CountsAsFail, CountsAsPass)...)
		}
	}
	for _, f := range fields {
		if policy, bound := policyOf[f.key]; bound && policy != g.Policy {
			r.fault(f.name, "key %q in gate: only policy: %s has it, and this is %s", f.key, policy, g.Policy)
		}
	}
	return g
}

func (r *reader) limits(f field) Limits {
	var l Limits
	for _, f := range r.fields(f.val, limitKeys) {
		limit := new(r.number(f, 0, 100))
		switch f.key {
		case "p99":
			l.P99 = limit
		case "p999":
			l.P999 = limit
		case "rss":
			l.RSS = limit
		case "cpu":
			l.CPU = limit
		}
	}
	return l
}

var compareKeys = keyTable{
	what:  "a comparison",
	known: []string{"base", "new", "same_ok"},
	must:  []string{"base", "new"},
}

// pair is a comparison with the nodes of its names.
type pair struct {
	Comparison
	baseAt, newAt ast.Node
}

// compare reads a list of comparisons; their names are checked when all variants
// are known.
func (r *reader) compare(f field) []pair {
	entries, _ := r.list(f, "a list of comparisons such as [{base: a, new: b}]")
	var pairs []pair
	for _, entry := range entries {
		var p pair
		for _, f := range r.fields(entry, compareKeys) {
			switch f.key {
			case "base":
				p.Base, p.baseAt = r.name(f), f.val
			case "new":
				p.New, p.newAt = r.name(f), f.val
			case "same_ok":
				p.SameOK = r.sentence(f)
			}
		}
		pairs = append(pairs, p)
	}
	return pairs
}

// checkPairs tells comparisons of what is not there, and completes the others.
func (r *reader) checkPairs(pairs []pair, variants []placedVariant) []Comparison {
	var all []Comparison
	lineOf := map[[2]string]int{}
	for _, p := range pairs {
		of, against := r.compared(p.New, p.newAt, variants), r.compared(p.Base, p.baseAt, variants)
		if of == nil || against == nil {
			continue // told already
		}
		key := [2]string{p.Base, p.New}
		line, _ := position(p.newAt)
		switch first, twice := lineOf[key]; {
		case of == against:
			r.fault(p.newAt, "new: %q is the base, too; for a variant against itself write it twice under two names, with same_ok", p.New)
		case twice:
			r.fault(p.newAt, "%s against %s is there twice, first on line %d", p.New, p.Base, first)
		default:
			lineOf[key] = line
			for _, v := range []*placedVariant{of, against} {
				if p.SameOK == "" {
					p.SameOK = v.SameOK
				}
			}
			all = append(all, p.Comparison)
		}
	}
	return all
}

// compared returns the variant called name, nil after a fault.
func (r *reader) compared(name string, at ast.Node, variants []placedVariant) *placedVariant {
	if name == "" {
		return nil // told already
	}
	names := make([]string, len(variants))
	for i, v := range variants {
		names[i] = v.Name
	}
	if i := slices.Index(names, name); i >= 0 {
		return &variants[i]
	}
	switch near := Nearest(name, names); {
	case near != "":
		r.fault(at, "no variant %q; did you mean %q?", name, near)
	case len(names) == 0:
		r.fault(at, "no variant %q; the suite has none", name)
	default:
		r.fault(at, "no variant %q, expected %s", name, alternatives(names))
	}
	return nil
}

// varies reads in what variants may differ.
func (r *reader) varies(f field) []string {
	entries, _ := r.list(f, "a list of words such as [config]")
	var all []string
	for _, entry := range entries {
		text, ok := r.text(field{key: f.key, val: entry}, "a word such as config")
		switch near := Nearest(text, Things()); {
		case !ok: // told already
		case slices.Contains(all, text):
			r.fault(entry, "varies: %q is there twice", text)
		case slices.Contains(Things(), text):
			all = append(all, text)
		case near != "":
			r.fault(entry, "varies: unknown %q; did you mean %q?", text, near)
		default:
			r.fault(entry, "varies: unknown %q, expected %s", text, alternatives(Things()))
		}
	}
	return all
}
