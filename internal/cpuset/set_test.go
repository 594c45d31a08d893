package cpuset

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func mustParse(t *testing.T, list string) Set {
	t.Helper()
	s, err := Parse(list)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestParse(t *testing.T) {
	tests := []struct {
		list string
		want []int
		text string // the shortest form
	}{
		{"", nil, ""},
		{"\n", nil, ""},
		{"0", []int{0}, "0"},
		{"0-3,8,10-12\n", []int{0, 1, 2, 3, 8, 10, 11, 12}, "0-3,8,10-12"},
		{"3,1,2", []int{1, 2, 3}, "1-3"},
		{"5-5", []int{5}, "5"},
		{"0-2,1-4", []int{0, 1, 2, 3, 4}, "0-4"},
		{"63-64", []int{63, 64}, "63-64"}, // across a word boundary
		{"1023", []int{1023}, "1023"},
		{"007", []int{7}, "7"},
	}
	for _, tt := range tests {
		s, err := Parse(tt.list)
		if err != nil {
			t.Errorf("Parse(%q): %v", tt.list, err)
			continue
		}
		if got := s.CPUs(); !slices.Equal(got, tt.want) {
			t.Errorf("Parse(%q) = %v, want %v", tt.list, got, tt.want)
		}
		if got := s.String(); got != tt.text {
			t.Errorf("Parse(%q).String() = %q, want %q", tt.list, got, tt.text)
		}
		if got := s.Count(); got != len(tt.want) {
			t.Errorf("Parse(%q).Count() = %d, want %d", tt.list, got, len(tt.want))
		}
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ list, want string }{
		{"a", `"a" is not a CPU number`},
		{"1,,2", "empty item"},
		{"1,", "empty item"},
		{"-1", `"-1" is not a CPU number`},
		{"1-", `"1-" is not a CPU number`},
		{"+1", `"+1" is not a CPU number`},
		{"0, 1", `" 1" is not a CPU number`},
		{"0-31:2/4", `"0-31:2/4" is not a CPU number`},
		{"1-2-3", `"1-2-3" is not a CPU number`},
		{"3-1", `range "3-1" runs downwards`},
		{"1024", "cpu 1024 is outside 0-1023"},
		{"1000-99999999999999999999", "cpu 99999999999999999999 is outside 0-1023"},
	}
	for _, tt := range tests {
		s, err := Parse(tt.list)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Parse(%q) error = %v, want one with %q", tt.list, err, tt.want)
		}
		if s != (Set{}) {
			t.Errorf("Parse(%q) = %q beside its error, want the empty set", tt.list, s)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, list := range []string{"", "0", "0-3,8,10-12\n", "3-1", "1,,2", "1023", "1024", " 5 ", "0-31:2/4"} {
		f.Add(list)
	}
	f.Fuzz(func(t *testing.T, list string) {
		s, err := Parse(list)
		if err != nil {
			return
		}
		again, err := Parse(s.String())
		if err != nil || again != s {
			t.Errorf("Parse(%q) = %q, which reads back as %q, %v", list, s, again, err)
		}
		if got := len(s.CPUs()); got != s.Count() {
			t.Errorf("Parse(%q): %d CPUs listed, %d counted", list, got, s.Count())
		}
	})
}

func TestHalves(t *testing.T) {
	tests := []struct{ all, lower, upper string }{
		{"", "", ""},
		{"7", "7", "7"}, // one CPU is shared
		{"0-1", "0", "1"},
		{"0-2", "0", "1-2"}, // odd: the upper half gets the larger part
		{"0-3", "0-1", "2-3"},
		{"1,5,9,13,17", "1,5", "9,13,17"},
	}
	for _, tt := range tests {
		s := mustParse(t, tt.all)
		if got := s.LowerHalf().String(); got != tt.lower {
			t.Errorf("lower half of %q = %q, want %q", tt.all, got, tt.lower)
		}
		if got := s.UpperHalf().String(); got != tt.upper {
			t.Errorf("upper half of %q = %q, want %q", tt.all, got, tt.upper)
		}
	}
}

func TestSetOperations(t *testing.T) {
	s, other := mustParse(t, "0-3,70"), mustParse(t, "2-5,70")
	check := func(name string, got Set, want string) {
		t.Helper()
		if got.String() != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	check("Intersect", s.Intersect(other), "2-3,70")
	check("Minus", s.Minus(other), "0-1")
	check("Union", s.Union(other), "0-5,70")
	check("the operand afterwards", s, "0-3,70")

	if !s.Contains(70) || s.Contains(4) || s.Contains(-1) || s.Contains(MaxCPUs) {
		t.Error("Contains is wrong for 70, 4, -1 or 1024")
	}
	if err := s.Add(MaxCPUs); err == nil {
		t.Error("Add(1024) succeeded")
	}
	if err := s.Add(-1); err == nil {
		t.Error("Add(-1) succeeded")
	}
	if of, err := Of(70, 0, 1, 2, 3); err != nil || of != s {
		t.Errorf("Of = %q, %v, want %q", of, err, s)
	}
	if _, err := Of(0, 5000); err == nil {
		t.Error("Of(0, 5000) succeeded")
	}
}

func TestJSON(t *testing.T) {
	type plan struct {
		CPUs Set `json:"cpus"`
	}
	out, err := json.Marshal(plan{CPUs: mustParse(t, "8-11,3")})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"cpus":"3,8-11"}`; string(out) != want {
		t.Errorf("Marshal = %s, want %s", out, want)
	}
	var back plan
	if err := json.Unmarshal(out, &back); err != nil || back.CPUs != mustParse(t, "3,8-11") {
		t.Errorf("Unmarshal = %q, %v", back.CPUs, err)
	}
	if err := json.Unmarshal([]byte(`{"cpus":"4-2"}`), &back); err == nil {
		t.Error(`Unmarshal of "4-2" succeeded`)
	}
	if back.CPUs != mustParse(t, "3,8-11") {
		t.Errorf("a failed Unmarshal changed the set to %q", back.CPUs)
	}
}
