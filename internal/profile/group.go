package profile

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
)

// Group is one purpose of functions, as it is written in suites and records. At least one
// of the two expressions is there.
type Group struct {
	Name    string `json:"name"`
	Symbols string `json:"symbols,omitempty"` // regular expression (RE2) on names of functions
	Modules string `json:"modules,omitempty"` // on the base names of the files that they are in
	// Leaf: only a leaf is in the group. What leads to every call of the system would take
	// all that no other group knows.
	Leaf bool `json:"leaf,omitempty"`
}

// The rest: where samples are that no group knows. They are no cause of anything.
const (
	OwnCode     = "own code"      // of the server's program
	Libraries   = "libraries"     // shared ones
	KernelOther = "kernel, other" // and its modules
	NoName      = "unknown"
)

// Rest are the names of those, in this order after all groups.
func Rest() []string { return []string{OwnCode, Libraries, KernelOther, NoName} }

// Groups are compiled, in the order in which they are asked about a frame.
type Groups struct {
	table    []Group
	compiled []compiled
	known    map[Frame]verdict
}

type compiled struct {
	symbols, modules *regexp.Regexp // nil: none
}

// verdict is the group of a frame, by its number: as a leaf, and as a caller. -1: none.
type verdict struct{ leaf, caller int }

// Compile puts groups of one's own before those that are built in; one of the same name
// takes its place. The error tells every expression and name that is wrong.
func Compile(own []Group) (*Groups, error) {
	g := &Groups{known: map[Frame]verdict{}}
	replaced := map[string]bool{}
	var faults []error
	for _, group := range own {
		if replaced[group.Name] {
			faults = append(faults, fmt.Errorf("group %q is there twice", group.Name))
		}
		replaced[group.Name] = true
		faults = append(faults, group.Check())
	}
	g.table = append(g.table, own...)
	for _, group := range Default() {
		if !replaced[group.Name] {
			g.table = append(g.table, group)
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	for _, group := range g.table {
		var c compiled
		if group.Symbols != "" {
			c.symbols = regexp.MustCompile(group.Symbols) // Check has compiled it
		}
		if group.Modules != "" {
			c.modules = regexp.MustCompile(group.Modules)
		}
		g.compiled = append(g.compiled, c)
	}
	return g, nil
}

// Check tells what is wrong with a group.
func (g Group) Check() error {
	for _, rest := range Rest() {
		if g.Name == rest {
			return fmt.Errorf("group %q: that is what no group knows", g.Name)
		}
	}
	if g.Symbols == "" && g.Modules == "" {
		return fmt.Errorf("group %q: no expression", g.Name)
	}
	for _, expression := range []string{g.Symbols, g.Modules} {
		re, err := regexp.Compile(expression)
		if err != nil {
			return fmt.Errorf("group %q: %w", g.Name, err)
		}
		if expression != "" && re.MatchString("") {
			return fmt.Errorf("group %q: %q matches everything", g.Name, expression)
		}
	}
	return nil
}

// Table are the groups in their order, without the rest.
func (g *Groups) Table() []Group { return g.table }

// Of is the group of a stack.
func (g *Groups) Of(stack []Frame) string {
	if len(stack) == 0 {
		return NoName
	}
	leaf := stack[0]
	for n, f := range stack {
		if f.Kernel != leaf.Kernel {
			break // the kernel's time is not its caller's
		}
		v := g.verdictOf(f)
		if i := v.caller; n > 0 && i >= 0 {
			return g.table[i].Name
		} else if i := v.leaf; n == 0 && i >= 0 {
			return g.table[i].Name
		}
	}
	switch module := path.Base(leaf.Module); {
	case leaf.Kernel:
		return KernelOther
	case leaf.Module == Unknown || strings.HasPrefix(leaf.Module, "//"): // such as //anon, made while it runs
		return NoName
	case strings.Contains(module, ".so.") || strings.HasSuffix(module, ".so") || strings.HasPrefix(module, "["): // [vdso]
		return Libraries
	}
	return OwnCode
}

// verdictOf asks each function once: there are thousands of samples of hundreds.
func (g *Groups) verdictOf(f Frame) verdict {
	if v, known := g.known[f]; known {
		return v
	}
	v := verdict{-1, -1}
	for i, c := range g.compiled {
		if c.symbols != nil && f.Symbol != Unknown && c.symbols.MatchString(f.Symbol) || c.modules != nil && c.modules.MatchString(path.Base(f.Module)) {
			if v.leaf < 0 {
				v.leaf = i
			}
			if v.caller < 0 && !g.table[i].Leaf {
				v.caller = i
			}
		}
	}
	g.known[f] = v
	return v
}
