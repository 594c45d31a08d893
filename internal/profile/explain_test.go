package profile

import (
	"math"
	"testing"
)

func near(x, want float64) bool { return math.Abs(x-want) < 1e-4 }

// 70 of 9998 samples are 0.700 %; (70 + 1) / (9998 + 2) = 0.0071, whose error is
// sqrt(0.0071 × 0.9929 / 9998) = 0.000840. Of none it is sqrt(0.0001 × 0.9999 / 9998) = 0.0001.
func TestShareOf(t *testing.T) {
	if s := ShareOf(70, 9998); !near(s.Frac, 0.0070014) || math.Abs(s.SE-0.000840) > 1e-6 {
		t.Errorf("%+v", s)
	}
	if s := ShareOf(0, 9998); s.Frac != 0 || math.Abs(s.SE-0.0001) > 1e-6 {
		t.Errorf("nothing seen: %+v", s)
	}
	if s := ShareOf(0, 0); !math.IsNaN(s.Frac) {
		t.Errorf("no samples: %+v", s)
	}
}

// The base needs 10 us, the new variant 13. Of the 3 us:
//
//	            base          new           difference
//	seccomp     0 %   0 us    15 %  1.95 us  +1.95
//	copy       20 %   2 us    16 %  2.08 us  +0.08  within its error
//	own code   80 %   8 us    69 %  8.97 us  +0.97  of no known purpose
//
// so that 65 % have a cause and 1.05 us have none.
func TestExplain(t *testing.T) {
	base := Side{Samples: 10_000, Group: map[string]uint64{"copy": 2000, OwnCode: 8000}, CPU: Micros{10, 0.1}}
	new := Side{Samples: 10_000, Group: map[string]uint64{"seccomp": 1500, "copy": 1600, OwnCode: 6900}, CPU: Micros{13, 0.1}}
	e := Explain(base, new, Micros{3, 0.2}, []string{"copy", "seccomp", OwnCode}, Rest())
	if len(e.Causes) != 1 || e.Causes[0].Group != "seccomp" || !near(e.Causes[0].Difference, 1.95) || !near(e.Part(e.Causes[0].Difference), 0.65) {
		t.Errorf("causes %+v", e.Causes)
	}
	// Of the new share (1501 / 10002): 13 × sqrt(0.15007 × 0.84993 / 10 000) = 0.04643, and of
	// its time 0.15 × 0.1 = 0.015; of the base's, of which nothing was seen, 10 × 0.0001.
	if want := math.Sqrt(0.04643*0.04643 + 0.015*0.015 + 0.001*0.001); math.Abs(e.Causes[0].SE-want) > 1e-4 {
		t.Errorf("error %v, want %v", e.Causes[0].SE, want)
	}
	if !near(e.Unexplained.Value, 1.05) || !e.Sure() || e.IsCause(OwnCode) || !e.IsCause("seccomp") {
		t.Errorf("%+v", e)
	}
	sum := 0.0
	for _, c := range e.Costs {
		sum += c.Difference
	}
	if !near(sum, 3) || len(e.Costs) != 3 || !near(e.Costs[0].New, 2.08) {
		t.Errorf("costs %+v add up to %v, want 3", e.Costs, sum)
	}
}

// A function that only the new variant has, and one that takes more of it, are told; one whose
// 20 and 26 samples of 10 000 are 0.02 and 0.026 us is not.
func TestFunctions(t *testing.T) {
	base := Side{Samples: 10_000, Group: map[string]uint64{"memcpy": 200, "parse": 1000, "log": 20}, CPU: Micros{10, math.NaN()}}
	new := Side{Samples: 10_000, Group: map[string]uint64{"memcpy": 330, "seccomp_run_filters": 300, "parse": 1000, "log": 26}, CPU: Micros{10, math.NaN()}}
	got := Functions(base, new)
	if len(got) != 2 || got[0].Group != "seccomp_run_filters" || !near(got[0].Difference, 0.3) || got[1].Group != "memcpy" || !near(got[1].Difference, 0.13) {
		t.Errorf("%+v", got)
	}
}

// A difference that is within two of its errors has no parts, nor one whose error nobody
// knows; what is less in the new variant is a cause as well.
func TestExplainUnsure(t *testing.T) {
	base := Side{Samples: 10_000, Group: map[string]uint64{"copy": 2000, "files": 8000}, CPU: Micros{10, math.NaN()}}
	new := Side{Samples: 10_000, Group: map[string]uint64{"copy": 1000, "files": 9000}, CPU: Micros{10.1, math.NaN()}}
	e := Explain(base, new, Micros{0.1, 0.06}, []string{"copy", "files"}, Rest())
	if e.Sure() || len(e.Causes) != 2 || e.Causes[1].Group != "copy" || !near(e.Causes[1].Difference, 1.01-2) {
		t.Errorf("%+v", e)
	}
	if Explain(base, new, Micros{0.1, math.NaN()}, nil, nil).Sure() {
		t.Error("sure of one pair of runs")
	}
	if e := Explain(base, new, Micros{-0.3, 0.1}, nil, nil); !e.Sure() {
		t.Error("a loss of three errors is one")
	}
}
