package record

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// SyscallsTextFile is the table for people; nothing reads it back.
const SyscallsTextFile = "syscalls.txt"

// WriteSyscallsText writes the table of the published reports: a line for each scenario
// with the calls per request, one decimal, new / base for each comparison, and the names
// of those calls. What could not be counted is n/a, with the reason under the table.
func WriteSyscallsText(out io.Writer, s *Syscalls) error {
	t := syscallTable{of: s}
	fmt.Fprintln(&t.text, "system calls per request, counted in a pass of its own; not judged")
	if s.StandIn != "" {
		fmt.Fprintln(&t.text, s.StandIn)
	}
	if s.NA != "" {
		fmt.Fprintln(&t.text, "n/a: "+s.NA)
	} else {
		for _, pair := range s.comparisons() {
			t.add(pair)
		}
	}
	for _, line := range t.feet {
		fmt.Fprintln(&t.text, line)
	}
	if _, err := io.WriteString(out, t.text.String()); err != nil {
		return fmt.Errorf("write system calls: %w", err)
	}
	return nil
}

// comparisons are those of the plan, and every variant that is in none alone.
func (s *Syscalls) comparisons() []PlanComparison {
	pairs := slices.Clone(s.Compare)
	for _, r := range s.Rows {
		if !slices.ContainsFunc(pairs, func(p PlanComparison) bool { return p.Base == r.Variant || p.New == r.Variant }) {
			pairs = append(pairs, PlanComparison{New: r.Variant})
		}
	}
	return pairs
}

// syscallTable is the text under way, and the lines that go under all of it.
type syscallTable struct {
	of   *Syscalls
	text strings.Builder
	feet []string
}

func (t *syscallTable) foot(line string) {
	if !slices.Contains(t.feet, line) {
		t.feet = append(t.feet, line)
	}
}

// add adds the lines of one comparison; of a variant alone when it has no base.
func (t *syscallTable) add(pair PlanComparison) {
	w := tabwriter.NewWriter(&t.text, 0, 0, 2, ' ', 0)
	names := pair.New
	if pair.Base != "" {
		names += " / " + pair.Base
	}
	header := "scenario\t" + names + "\tcalls"
	perConnection := slices.ContainsFunc(t.of.Rows, func(r SyscallRow) bool { return r.PerConnection.Known() && r.Variant == pair.New })
	if perConnection {
		header = "scenario\t" + names + "\tper connection\tcalls"
	}
	fmt.Fprintln(w, header) // writing to memory does not fail
	for _, r := range t.of.Rows {
		if r.Variant != pair.New {
			continue
		}
		base, cells := t.row(pair.Base, r), []string{scenarioText(r.Mode, r.Scenario)}
		cells = append(cells, ratioCell(r, base, func(r SyscallRow) Value { return r.PerRequest }))
		if perConnection && r.PerConnection.Known() {
			cells = append(cells, ratioCell(r, base, func(r SyscallRow) Value { return r.PerConnection }))
		} else if perConnection {
			cells = append(cells, "-")
		}
		fmt.Fprintln(w, strings.Join(append(cells, namesCell(r, base)), "\t"))
		t.note(r)
		if base != nil {
			t.note(*base)
		}
	}
	w.Flush() // likewise
}

// row is that of a variant in the place of another's; nil: there is none.
func (t *syscallTable) row(variant string, like SyscallRow) *SyscallRow {
	for i, r := range t.of.Rows {
		if r.Variant == variant && r.Mode == like.Mode && r.Scenario == like.Scenario {
			return &t.of.Rows[i]
		}
	}
	return nil
}

// note puts what must be known of a row under the table.
func (t *syscallTable) note(r SyscallRow) {
	text := r.Note
	if r.NA != "" {
		text = r.NA
	}
	if text != "" {
		t.foot(fmt.Sprintf("%s of %s: %s", scenarioText(r.Mode, r.Scenario), r.Variant, text))
	}
}

// ratioCell writes 2.0 / 2.0.
func ratioCell(new SyscallRow, base *SyscallRow, of func(SyscallRow) Value) string {
	text := oneDecimal(of(new))
	if base != nil {
		text += " / " + oneDecimal(of(*base))
	}
	return text
}

func oneDecimal(v Value) string {
	if !v.Known() {
		return NotAvailable
	}
	return decimals(v, 1)
}

// namesCell writes the calls of the new variant, and those of the base where they are
// others.
func namesCell(new SyscallRow, base *SyscallRow) string {
	text := namesText(new)
	if base == nil {
		return text
	}
	if of := namesText(*base); of != text {
		text += "; " + base.Variant + ": " + of
	}
	return text
}

const (
	namesMax   = 8    // calls that are named
	namesLeast = 0.05 // of them per request, which is printed as 0.1
)

// namesText writes recvfrom, writev, 2x epoll_ctl: each call with how often a request makes
// it, unless that is once. What is as frequent is in the order of its names, so that two
// variants that make the same calls have the same text.
func namesText(r SyscallRow) string {
	calls := slices.DeleteFunc(slices.Clone(r.ByName), func(c SyscallCount) bool { return c.PerRequest < namesLeast })
	for i := range calls {
		calls[i].PerRequest = math.Round(calls[i].PerRequest*10) / 10
	}
	slices.SortFunc(calls, func(a, b SyscallCount) int {
		return cmp.Or(cmp.Compare(b.PerRequest, a.PerRequest), cmp.Compare(a.Name, b.Name))
	})
	var names []string
	for _, c := range calls[:min(namesMax, len(calls))] {
		if c.PerRequest != 1 {
			c.Name = fmt.Sprintf("%gx %s", c.PerRequest, c.Name)
		}
		names = append(names, c.Name)
	}
	if len(calls) > namesMax {
		names = append(names, "...")
	}
	return dash(strings.Join(names, ", "))
}
