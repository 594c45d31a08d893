package profile

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
)

// Tally counts the samples of one server.
type Tally struct {
	groups *Groups
	total  uint64
	group  map[string]uint64
	leaf   map[string]map[string]uint64 // by group and symbol
	folded map[string]uint64
	cut    uint64
}

// NewTally counts by groups.
func NewTally(groups *Groups) *Tally {
	return &Tally{groups: groups, group: map[string]uint64{}, leaf: map[string]map[string]uint64{}, folded: map[string]uint64{}}
}

// Add counts one sample, in one group.
func (t *Tally) Add(s Sample) {
	group := t.groups.Of(s.Stack)
	t.total++
	t.group[group]++
	if t.leaf[group] == nil {
		t.leaf[group] = map[string]uint64{}
	}
	if len(s.Stack) > 0 {
		t.leaf[group][name(s.Stack[0])]++
	}
	t.folded[folded(s)]++
	if isCut(s.Stack) {
		t.cut++
	}
}

// Total is how many samples there are.
func (t *Tally) Total() uint64 { return t.total }

// Group is how many are in one.
func (t *Tally) Group(name string) uint64 { return t.group[name] }

// Cut is how many have callers in the server's own memory that cannot be found: it keeps no
// frame pointers. Their groups are by what is known: the leaf, and the kernel.
func (t *Tally) Cut() uint64 { return t.cut }

// Count is how often something was seen.
type Count struct {
	Name    string `json:"name"`
	Samples uint64 `json:"samples"`
}

// Symbols are the leaves of a group that were seen most, that one first.
func (t *Tally) Symbols(group string, most int) []Count {
	counts := Sorted(t.leaf[group])
	return counts[:min(most, len(counts))]
}

// Sorted are counts with the greatest first; equal ones by name.
func Sorted(of map[string]uint64) []Count {
	var counts []Count
	for name, n := range of {
		counts = append(counts, Count{name, n})
	}
	slices.SortFunc(counts, func(a, b Count) int { return cmp.Or(cmp.Compare(b.Samples, a.Samples), cmp.Compare(a.Name, b.Name)) })
	return counts
}

// WriteFolded writes a line for each stack, as flame graphs are made of (Brendan Gregg's
// stackcollapse): the thread, the outermost function and so on to the leaf, with semicolons
// between them, and how often it was seen. The kernel's have _[k] at their end.
func (t *Tally) WriteFolded(out io.Writer) error {
	w := bufio.NewWriter(out)
	for _, stack := range slices.Sorted(maps.Keys(t.folded)) {
		fmt.Fprintf(w, "%s %d\n", stack, t.folded[stack])
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write stacks: %w", err)
	}
	return nil
}

// folded is the line of a sample without its number.
func folded(s Sample) string {
	parts := []string{part(s.Comm)}
	for _, f := range slices.Backward(s.Stack) {
		text := part(name(f))
		if f.Kernel {
			text += "_[k]"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ";")
}

// part keeps what separates parts and lines out of one.
func part(text string) string {
	if text == "" {
		return Unknown
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == ';':
			return ':'
		case r < ' ':
			return ' '
		}
		return r
	}, text)
}

// name is what people know a function by: its file where it has no name of its own.
func name(f Frame) string {
	if f.Symbol != Unknown || f.Module == Unknown {
		return f.Symbol
	}
	return "[" + strings.Trim(path.Base(f.Module), "[]") + "]"
}

// isCut tells whether the part of a stack that is the server's own ends before its
// beginning: after one function, or in what is no function at all.
func isCut(stack []Frame) bool {
	i := slices.IndexFunc(stack, func(f Frame) bool { return !f.Kernel })
	if i < 0 {
		return false // a thread of the kernel, or an interrupt that shows no more
	}
	user := stack[i:]
	return len(user) == 1 || slices.ContainsFunc(user, func(f Frame) bool { return f.Module == Unknown })
}
