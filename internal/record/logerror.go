package record

import (
	"fmt"
	"slices"
	"strings"
)

// LogError is an error that logs tell of and that makes nothing invalid, once for all
// lines that differ in nothing but times, numbers and places.
type LogError struct {
	Normal   string   `json:"normal"` // without those
	Text     string   `json:"text"`   // of the first such line
	Count    int      `json:"count"`  // lines
	Variants []string `json:"variants"`
	Shared   bool     `json:"shared,omitempty"` // all variants have it: it is a fact of the host
}

// String is the error in one line.
func (e LogError) String() string {
	who := strings.Join(e.Variants, ", ") + " alone logged"
	if e.Shared {
		who = "shared by all variants, logged"
	}
	return fmt.Sprintf("%s %d times: %s", who, e.Count, e.Text)
}

// AddLogErrors adds the errors of a round to those of others. What is shared in one of
// them is a fact of the host.
func AddLogErrors(to, more []LogError) []LogError {
	sum := slices.Clone(to)
	for _, e := range more {
		i := slices.IndexFunc(sum, func(s LogError) bool { return s.Normal == e.Normal })
		if i < 0 {
			e.Variants = slices.Clone(e.Variants)
			sum = append(sum, e)
			continue
		}
		s := &sum[i]
		s.Count, s.Shared = s.Count+e.Count, s.Shared || e.Shared
		for _, v := range e.Variants {
			if !slices.Contains(s.Variants, v) {
				s.Variants = append(s.Variants, v)
			}
		}
		slices.Sort(s.Variants)
	}
	return sum
}
