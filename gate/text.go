package gate

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// WriteText writes a gate for a terminal; colour makes the verdicts stand out, for
// where escape sequences are understood.
func WriteText(out io.Writer, g Gate, colour bool) error {
	page := pageOf(g, text{colour}, everything)
	if _, err := out.Write(page); err != nil {
		return fmt.Errorf("write gate: %w", err)
	}
	return nil
}

// text is the form for a terminal.
type text struct{ colour bool }

func (f text) title(out *bytes.Buffer, title string) {
	out.WriteString(f.painted(oneLine(title)) + "\n")
}
func (f text) note(out *bytes.Buffer, note string) { out.WriteString(f.painted(oneLine(note)) + "\n") }
func (f text) grid(out *bytes.Buffer, g Grid, _ bool) {
	var lines bytes.Buffer
	g.Text(&lines) // a buffer takes everything
	out.WriteByte('\n')
	for line := range strings.Lines(lines.String()) {
		out.WriteString(f.painted(strings.TrimSuffix(line, "\n")) + "\n")
	}
	out.WriteByte('\n')
}

// painted colours the verdict at the end of a line: of a row, of a title, or of the
// whole.
func (f text) painted(line string) string {
	const reset = "\x1b[0m"
	if !f.colour {
		return line
	}
	bare := strings.TrimSuffix(line, ")")
	for v, word := range verdictWords {
		if rest, is := strings.CutSuffix(bare, word); is && (rest == "" || strings.HasSuffix(rest, " ") || strings.HasSuffix(rest, "(")) {
			return rest + Verdict(v).colour() + word + reset + line[len(bare):]
		}
	}
	return line
}

// colour is the escape sequence of a verdict: green, yellow for no opinion, red.
func (v Verdict) colour() string {
	switch v {
	case Pass:
		return "\x1b[32m"
	case Fail, Invalid:
		return "\x1b[31m"
	}
	return "\x1b[33m"
}

// oneLine keeps a text from a journal or a ruling on its line, and control characters
// from a terminal.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, unicode.IsControl), " ")
}
