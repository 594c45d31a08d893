package suite

import (
	"regexp"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/scalws/scalbench/internal/cpuset"
)

var placementKeys = keyTable{what: "placement", known: []string{"server", "upstream", "generator"}}

// placement reads which CPUs the parts have.
func (r *reader) placement(f field) Placement {
	var p Placement
	var generatorAt ast.Node
	for _, f := range r.fields(f.val, placementTable(f.val)) {
		switch f.key {
		case "server":
			p.Server = r.cpus(f)
		case "upstream":
			p.Upstream = r.cpus(f)
		case "generator":
			p.Generator, generatorAt = r.cpus(f), f.val
		}
	}
	if both := p.Generator.Intersect(p.Server.Union(p.Upstream)); both.Count() > 0 {
		r.fault(generatorAt, "generator: CPUs %s are the server's or the upstream's too, expected others", both)
	}
	return p
}

// placementTable is placementKeys with a hint for CPUs that were taken for keys: in
// braces, 8-15,24-31 is a value and a key.
func placementTable(n ast.Node) keyTable {
	table := placementKeys
	table.hints = map[string]string{}
	if m, ok := n.(*ast.MappingNode); ok {
		for _, v := range m.Values {
			if key, _ := scalarText(v.Key); onlyCPUs.MatchString(key) {
				table.hints[key] = "a comma ends a value in braces, write the CPUs in quotes or as a list"
			}
		}
	}
	return table
}

var onlyCPUs = regexp.MustCompile(`^[0-9-]+$`)

const cpusForm = "CPUs such as 0-3, or [0-3, 8]"

// cpus reads a set in the kernel's list format, or a list of such.
func (r *reader) cpus(f field) cpuset.Set {
	parts := []ast.Node{f.val}
	if list, ok := f.val.(*ast.SequenceNode); ok {
		parts = list.Values
	}
	var all cpuset.Set
	for _, part := range parts {
		text, ok := r.text(field{key: f.key, val: part}, cpusForm)
		if !ok {
			return cpuset.Set{}
		}
		set, err := cpuset.Parse(text)
		if err != nil {
			r.fault(part, "%s: %q, expected %s", f.key, text, cpusForm)
			return cpuset.Set{}
		}
		all = all.Union(set)
	}
	if all.Count() == 0 {
		r.fault(f.val, "%s: no CPU, expected %s; without the key they are chosen", f.key, cpusForm)
	}
	return all
}

// A key is that of a fact, a value one word of it.
var validRequirement = regexp.MustCompile(`^[a-z][a-z0-9_.-]*=[!-<>-~]+$`)

// require reads a list of facts, each once.
func (r *reader) require(f field) []Requirement {
	entries, _ := r.list(f, "a list such as [governor=performance]")
	lineOf := make(map[string]int, len(entries))
	var all []Requirement
	for _, entry := range entries {
		text, ok := r.text(field{key: f.key, val: entry}, "a text such as governor=performance")
		if !ok {
			continue
		}
		if !validRequirement.MatchString(text) {
			r.fault(entry, "require: %q, expected KEY=VALUE such as governor=performance", text)
			continue
		}
		key, value, _ := strings.Cut(text, "=")
		line, _ := position(entry)
		if first, twice := lineOf[key]; twice {
			r.fault(entry, "require: %q is there twice, first on line %d", key, first)
			continue
		}
		lineOf[key] = line
		all = append(all, Requirement{Key: key, Value: value})
	}
	return all
}
