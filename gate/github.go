package gate

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// WriteGitHub writes what is wrong with a gate as workflow commands, which GitHub shows
// beside the change: an error for FAIL and INVALID, a warning where there is no
// verdict, and a notice with the whole.
func WriteGitHub(out io.Writer, g Gate) error {
	var lines bytes.Buffer
	if len(g) == 0 {
		annotate(&lines, "error", Invalid.String(), nothingJudged)
	}
	for i := range g {
		t := &g[i]
		for j := range t.Rows {
			r := &t.Rows[j]
			level := "warning"
			switch t.counted(r) {
			case Pass, NotApplicable:
				continue
			case Fail, Invalid:
				level = "error"
			}
			annotate(&lines, level, r.Word()+" "+r.ID(), r.sentenceAlone())
		}
		if t.Estimate != "" {
			annotate(&lines, "warning", "ESTIMATE "+t.Name, t.Estimate+"; it gives no verdict of record")
		}
		if t.showsNothing() {
			annotate(&lines, "error", Invalid.String()+" "+t.Name, nothingJudged)
		}
	}
	annotate(&lines, "notice", "Verdict: "+g.Verdict().String(), g.WorstSentence())
	if _, err := out.Write(lines.Bytes()); err != nil {
		return fmt.Errorf("write gate: %w", err)
	}
	return nil
}

// sentenceAlone is what happened to a row, with its name.
func (r *Row) sentenceAlone() string { return r.cell().String() + r.sentence() }

// annotate writes one workflow command. Its two kinds of text are escaped as GitHub's
// own toolkit does.
func annotate(out *bytes.Buffer, level, title, text string) {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	fmt.Fprintf(out, "::%s title=%s::%s\n", level, property.Replace(title), data.Replace(text))
}
