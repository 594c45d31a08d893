package gate

import "fmt"

// Verdict is what is said about a row, a table or a gate. The constants stand in the
// order of severity: of several, the greatest counts.
type Verdict uint8

const (
	// NotApplicable is said of a row that is impossible for one of its variants. It
	// is no opinion and counts for nothing; a gate of nothing else is Invalid.
	NotApplicable Verdict = iota
	Pass
	Borderline   // below the threshold by less than the spread: a repeat decides
	Inconclusive // the numbers allow neither Pass nor Fail
	NotRun       // the host lacks what the scenario needs
	Fail
	Invalid // the evidence is missing or broken: nothing was judged
)

// verdictWords are the words of cells.
var verdictWords = [...]string{
	NotApplicable: "N/A", Pass: "PASS", Borderline: "BORDERLINE", Inconclusive: "INCONCLUSIVE",
	NotRun: "NOT RUN", Fail: "FAIL", Invalid: "INVALID",
}

// String returns the word of a cell.
func (v Verdict) String() string {
	if int(v) < len(verdictWords) {
		return verdictWords[v]
	}
	return fmt.Sprintf("verdict(%d)", uint8(v))
}

// ParseVerdict reads the word of a cell.
func ParseVerdict(word string) (Verdict, error) {
	for v, known := range verdictWords {
		if known == word {
			return Verdict(v), nil
		}
	}
	return 0, fmt.Errorf("%q is no verdict", word)
}

// open tells whether a repeat may still decide a row.
func (v Verdict) open() bool { return v == Borderline || v == Inconclusive }

// judged tells whether a verdict came from numbers.
func (v Verdict) judged() bool {
	return v == Pass || v == Borderline || v == Inconclusive || v == Fail
}
