package measure

import (
	"testing"

	"github.com/scalws/scalbench/internal/cpuset"
)

func set(t *testing.T, list string) cpuset.Set {
	t.Helper()
	s, err := cpuset.Parse(list)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Of the host of the published reports, 16 cores of two threads, CPUs n and n + 16.
func TestAside(t *testing.T) {
	siblings := func(s cpuset.Set) cpuset.Set {
		all := cpuset.Set{}
		for _, cpu := range s.CPUs() {
			_ = all.Add((cpu + 16) % 32)
		}
		return all.Minus(s)
	}
	for _, test := range []struct{ name, allowed, server, upstream, generator, want string }{
		{"beside all of them", "0-31", "0-3", "4-7", "8-15,24-31", "16-23"},      // only siblings are left
		{"apart from siblings", "0-31", "0-3", "4-5", "8-15,24-31", "6-7,22-23"}, // 16-21 are those of 0-5
		{"nothing", "0-1", "0", "0", "1", ""},
		{"of a few", "0-3", "0", "1", "2", "3"},
	} {
		p := Placement{Server: set(t, test.server), Upstream: set(t, test.upstream), Generator: set(t, test.generator)}
		if got := aside(set(t, test.allowed), p, siblings); got != set(t, test.want) {
			t.Errorf("%s: CPUs %q, want %q", test.name, got, test.want)
		}
	}
}

// A process that has moved aside measures all the same, and is back afterwards.
func TestMoveAside(t *testing.T) {
	allowed, err := cpuset.Allowed()
	if err != nil {
		t.Fatal(err)
	}
	if allowed.Count() < 2 {
		t.Skip("one CPU: there is nowhere to move to")
	}
	s := parsed(t, plainSuite)
	one := lowest(allowed.CPUs(), 1)
	s.Placement.Server, s.Placement.Generator = one, one
	b := benchOf(t, s)
	moved, err := b.MoveAside()
	t.Cleanup(func() { _ = cpuset.SetProcess(allowed) }) // whatever fails
	if err != nil || !moved {
		t.Fatalf("%t, %v", moved, err)
	}
	if now, err := cpuset.Allowed(); err != nil || now == (cpuset.Set{}) || now.Intersect(one) != (cpuset.Set{}) || now.Minus(allowed) != (cpuset.Set{}) {
		t.Errorf("it has CPUs %s, %v, of %s without %s", now, err, allowed, one)
	}
	r := start(t, b, s.Variants[0])
	row, _ := validRow(t, b, r, s.Scenarios[0])
	if row.IdentityOK != row.IdentityN {
		t.Errorf("the server is not where it was meant to be: %d of %d", row.IdentityOK, row.IdentityN)
	}
	if err := b.MoveBack(); err != nil {
		t.Error(err)
	}
	if now, err := cpuset.Allowed(); err != nil || now != allowed {
		t.Errorf("it has CPUs %s, %v, want %s back", now, err, allowed)
	}
}
