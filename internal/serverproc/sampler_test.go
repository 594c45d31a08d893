package serverproc

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/scalws/scalbench/internal/procfs"
)

// It looks at once, each second and at the end; a violation is told when it is seen.
func TestSampler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		e := Expect{Seccomp: pointer(2), Grace: time.Second}
		var looks int
		s := StartSampler(e, SampleEvery, func() (Observation, error) {
			looks++
			o := observed(t)
			o.Server.Age = time.Since(began)
			switch {
			case looks == 1 || looks == 4: // at 0 s, early, and at 3 s
				o.Server.Security.Seccomp = known(0)
			case looks == 3:
				return Observation{}, errors.New("proc is broken")
			}
			return o, nil
		})
		<-s.Violated()
		if after := time.Since(began); after != 3*time.Second {
			t.Errorf("violation told after %s, want 3s", after)
		}
		time.Sleep(2500 * time.Millisecond) // looks at 4 s and 5 s
		tally := s.Stop()                   // and at 5.5 s
		// 7 looks: one early, one that failed.
		if ok, total := tally.Samples(); looks != 7 || ok != 4 || total != 5 {
			t.Errorf("%d looks, %d of %d samples, want 7, 4 of 5", looks, ok, total)
		}
		if err := tally.Err(); err == nil || err.Error() != "1 samples could not be taken, the first: proc is broken" {
			t.Errorf("error %v", err)
		}
		if first := tally.First(); first == nil || first.Age != 3*time.Second {
			t.Errorf("first violation %+v", first)
		}
		if s.Stop() != tally {
			t.Error("another tally at the second Stop")
		}
	})
}

// The ports are looked at again after 200 times as long as it took.
func TestWatchLeavesPortsOut(t *testing.T) {
	port := freePort(t)
	s := serveAt(t, port)
	clock := time.Unix(1000, 0)
	step := 20 * time.Millisecond // what each look at the ports takes
	now := func() time.Time {
		clock = clock.Add(step)
		return clock
	}
	look := NewObserver(procDir).Watch(func() (Subject, error) { return subjectOf(t, s, port), nil }, now)
	var looked []bool
	// Readings at 0 (looked at until 20 ms: again after 4.02 s), 20 ms later, ...
	for range 3 {
		seen, err := look()
		if err != nil {
			t.Fatal(err)
		}
		looked = append(looked, len(seen.Ports) == 1 && !seen.PortsSkipped)
	}
	clock = clock.Add(4 * time.Second)
	seen, err := look()
	if err != nil {
		t.Fatal(err)
	}
	if !looked[0] || looked[1] || looked[2] || len(seen.Ports) != 1 {
		t.Errorf("looked at the ports: %t, then %+v", looked, seen.Ports)
	}

	gone := NewObserver(procDir).Watch(func() (Subject, error) { return Subject{}, procfs.ErrGone }, now)
	if seen, err := gone(); err != nil || !seen.Gone {
		t.Errorf("without a tree: %+v, %v", seen, err)
	}
}
