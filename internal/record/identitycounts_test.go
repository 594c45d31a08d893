package record

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAddCounts(t *testing.T) {
	one := []IdentityCount{{Variant: "v", Check: "exe", NA: "hidden"}, {Variant: "v", Check: "uid", Samples: 2, OK: 2, Early: 1}}
	two := []IdentityCount{
		{Variant: "v", Check: "exe", Samples: 1, OK: 1}, {Variant: "v", Check: "uid", Samples: 3, OK: 1, Missed: "root"},
		{Variant: "w", Check: "uid", Samples: 1, OK: 1}, {Variant: "v", Check: "ports", NA: "hidden"},
	}
	want := []IdentityCount{
		{Variant: "v", Check: "exe", Samples: 1, OK: 1}, {Variant: "v", Check: "uid", Samples: 5, OK: 3, Early: 1, Missed: "root"},
		{Variant: "w", Check: "uid", Samples: 1, OK: 1}, {Variant: "v", Check: "ports", NA: "hidden"},
	}
	if diff := cmp.Diff(want, AddCounts(one, two)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if one[0].NA != "hidden" || one[1].Samples != 2 {
		t.Errorf("the first have changed: %v", one)
	}
}

// As the published reports tell it, and what they would have had to add.
func TestIdentityLines(t *testing.T) {
	got := IdentityLines([]IdentityCount{
		{Variant: "on", Check: "exe", Samples: 253, OK: 253, Early: 1},
		{Variant: "on", Check: "seccomp 2", Samples: 253, OK: 253, Early: 1},
		{Variant: "on", Check: "helper upstream: exe", Samples: 250, OK: 250}, {Variant: "on", Check: "helper upstream: ports", Samples: 250, OK: 250},
		{Variant: "on", Check: "helper php: exe", Samples: 250, OK: 250},
		{Variant: "off", Check: "exe", NA: "permission denied"},
		{Variant: "off", Check: "seccomp 0", Samples: 250, OK: 248, Missed: "process 7 has Seccomp 2"},
		{Variant: "hidden", Check: "exe", NA: "permission denied"},
	})
	want := []string{
		"on: 253 samples, 253 ok, 1 early (exe, seccomp 2, and of helpers upstream php)",
		"off: 250 samples, 248 ok (seccomp 0); exe n/a: permission denied; seccomp 0 248 of 250: process 7 has Seccomp 2",
		"hidden: 0 samples, 0 ok; exe n/a: permission denied",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
