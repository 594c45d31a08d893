package schedule

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func steps(s ...Step) Rate { return Rate{Steps: s} }

func TestParse(t *testing.T) {
	tests := []struct {
		text   string
		want   Rate
		string string // what it is written as; "": the same
	}{
		{"1000", steps(Step{1000, 1000, 0}), ""},
		{"0.5", steps(Step{0.5, 0.5, 0}), ""},
		{"10k", steps(Step{10_000, 10_000, 0}), "10000"},
		{"2.6K", steps(Step{2600, 2600, 0}), "2600"},
		{"4.35m", steps(Step{4_350_000, 4_350_000, 0}), "4350000"},
		{"1000M", steps(Step{1e9, 1e9, 0}), "1000000000"}, // the most
		{"0.000001", steps(Step{1e-6, 1e-6, 0}), ""},      // the least
		{"1000..20000", steps(Step{1000, 20_000, 0}), ""},
		{"20k..0", steps(Step{20_000, 0, 0}), "20000..0"},
		{"0.5..1.5", steps(Step{0.5, 1.5, 0}), ""},
		{"1000@10s", steps(Step{1000, 1000, 10 * time.Second}), ""},
		{"1000@10s,5000@10s", steps(Step{1000, 1000, 10 * time.Second}, Step{5000, 5000, 10 * time.Second}), ""},
		{"0..1000@5s,1000@30s", steps(Step{0, 1000, 5 * time.Second}, Step{1000, 1000, 30 * time.Second}), ""},
		{"500..2000@1m30s,2000", steps(Step{500, 2000, 90 * time.Second}, Step{2000, 2000, 0}), ""},
		{" 5m@1.5ms , 0@1h ", steps(Step{5e6, 5e6, 1500 * time.Microsecond}, Step{0, 0, time.Hour}), "5000000@1.5ms,0@1h0m0s"},
		{"1000..1000", steps(Step{1000, 1000, 0}), "1000"}, // a level ramp is none
		{"0", Rate{}, ""},
		{"0.0k", Rate{}, "0"},
	}
	for _, tt := range tests {
		got, err := Parse(tt.text)
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("Parse(%q) = %v, %v, want %v", tt.text, got.Steps, err, tt.want.Steps)
			continue
		}
		want := tt.string
		if want == "" {
			want = tt.text
		}
		if got.String() != want {
			t.Errorf("Parse(%q) is written %q, want %q", tt.text, got, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", `rate "": a step is empty`},
		{"1000,", `rate "1000,": a step is empty`},
		{"fast", `rate "fast": "fast" is not a number such as 1000, 0.5 or 10k`},
		{"-1", `"-1" is not a number`},
		{"+1", `"+1" is not a number`},
		{"1e3", `"1e3" is not a number`},
		{"0x10", `"0x10" is not a number`},
		{"inf", `"inf" is not a number`},
		{"1_000", `"1_000" is not a number`},
		{".5", `".5" is not a number`},
		{"1.", `"1." is not a number`},
		{"1.2.3", `"1.2.3" is not a number`},
		{"1kk", `"1kk" is not a number`},
		{"k", `"k" is not a number`},
		{"1...2", `".2" is not a number`},
		{"1..2..3", `"2..3" is not a number`},
		{"..5", `"" is not a number`},
		{"5..", `"" is not a number`},
		{"1000 req/s", `"1000 req/s" is not a number`},
		{"1" + strings.Repeat("0", 400), "is too large a number"},
		{"1000000001", "step 1000000001: 1.000000001e+09 requests a second, want 0, or 0.000001 to 1000000000"},
		{"0.0000001", "step 0.0000001: 1e-07 requests a second, want 0, or 0.000001"},
		{"1000@", `"" is not a duration such as 10s`},
		{"1000@10", `"10" is not a duration such as 10s`},
		{"1000@10s@5s", `"10s@5s" is not a duration`},
		{"1000@0s", `step "1000@0s" lasts 0s, want more than 0`},
		{"1000@-5s", `step "1000@-5s" lasts -5s, want more than 0`},
		{"500..2000,2000@10s", "step 500..2000: has no duration (500..2000@10s), which only the last step may do without"},
		{"0..0", "no step offers a request"},
		{"0@5s", "no step offers a request"},
		{"1@8000h,1@8000h", "the steps last more than 8760h0m0s together"},
		{strings.Repeat("1@1s,", 1000) + "1", "1001 steps, want at most 1000"},
	}
	for _, tt := range tests {
		got, err := Parse(tt.text)
		if err == nil || !strings.Contains(err.Error(), tt.want) || got.Steps != nil {
			t.Errorf("Parse(%.40q) = %v, %v, want an error with %q", tt.text, got, err, tt.want)
		}
	}
}

// FuzzParse holds what is said of everything that Parse accepts: it is valid,
// survives being written, and makes a schedule that begins in order.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"1000", "0.5", "10k", "1000..20000", "1000@10s,5000@10s", "0..1000@5s,1000@30s", "500..2000@1m30s,2000", "0", "0..0", "-1",
		"1m..0@1ns,0@1h,0.000001", "1000000000..999999999.999999@8760h", "0.1..0.100001@8000h", "0@100s,10", "1@", "@", "..", ",",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Parse(text)
		if err != nil {
			return
		}
		if faults := r.Validate(); faults != nil {
			t.Fatalf("Parse(%q) = %v, which is not valid: %v", text, r, faults)
		}
		again, err := Parse(r.String())
		if err != nil || !reflect.DeepEqual(again, r) {
			t.Fatalf("Parse(%q) is written %v and read again as %v, %v", text, r, again, err)
		}
		checkBeginning(t, r)
	})
}

// checkBeginning looks at the first times of a rate in a run of a minute. At the
// time of request k the offered load has not passed k, a nanosecond later it
// has, both to the precision in which Offered adds.
func checkBeginning(t *testing.T, r Rate) {
	r = r.Over(time.Minute)
	spec := Spec{Rate: r}
	if spec.Validate() != nil {
		return // an idle step fills the minute
	}
	s := New(spec, 0, 1)
	last := time.Duration(0)
	for k := range 100 {
		at, ok := s.Next()
		if !ok {
			break
		}
		if at < last {
			t.Fatalf("%v: request %d at %v, after one at %v", r, k, at, last)
		}
		tolerance := 1e-9 + float64(k)*1e-9
		if early, late := r.Offered(at), r.Offered(at+1); early > float64(k)+tolerance || late < float64(k)-tolerance {
			t.Fatalf("%v: request %d at %v, between offered loads %v and %v", r, k, at, early, late)
		}
		last = at
	}
}
