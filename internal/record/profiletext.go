package record

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// ProfileTextFile is the tables for people; nothing reads it back.
const ProfileTextFile = "profile.txt"

// WriteProfileText writes a table for each scenario, the variants side by side, and what of
// the measured differences they explain. rounds are those of the session.
func WriteProfileText(out io.Writer, p *Profile, rounds []*Round) error {
	var text strings.Builder
	if p.StandIn != "" {
		fmt.Fprintln(&text, p.StandIn)
	}
	if p.NA != "" {
		fmt.Fprintln(&text, "no profile was taken: "+p.NA)
	}
	for i, v := range p.Views(rounds, p.Compare) {
		if i > 0 {
			fmt.Fprintln(&text)
		}
		fmt.Fprintln(&text, v.Title)
		v.writeTable(&text)
		for _, line := range v.Lines {
			fmt.Fprintln(&text, line)
		}
	}
	if _, err := io.WriteString(out, text.String()); err != nil {
		return fmt.Errorf("write profile: %w", err)
	}
	return nil
}

// gap is how many blanks are between columns.
const gap = 2

// writeTable writes names to the left and numbers to the right.
func (v *ProfileView) writeTable(text *strings.Builder) {
	if len(v.Rows) == 0 {
		return
	}
	lines := append([][]string{v.Columns}, v.Rows...)
	names := 0
	for _, cells := range lines {
		names = max(names, len(cells[0]))
	}
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, gap, ' ', tabwriter.AlignRight)
	for _, cells := range lines {
		name := fmt.Sprintf("%-*s", names, cells[0])
		fmt.Fprintln(w, strings.Join(append([]string{name}, cells[1:]...), "\t")+"\t") // writing to memory does not fail
	}
	w.Flush() // likewise
	for line := range strings.Lines(table.String()) {
		text.WriteString(line[gap:]) // which is before the names as well
	}
}
