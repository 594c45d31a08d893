package driver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/record"
)

// twoRounds is a session of 16 measurements.
const twoRounds = `
suite: ab
host: lab
plan: {preset: smoke, rounds: 2}
variants:
  - {name: base, command: [sh, base], ports: {http: 0}}
  - {name: new, command: [sh, new], ports: {http: 0}}
scenarios:
  - {name: small, url: /small}
  - {name: large, url: /large}
compare: [{base: base, new: new}]
`

// killedRole begins the session, or goes on with it, and says a line for each
// measurement.
func killedRole(dir, lock, socket, text string) int {
	l := labIn(dir, map[string]string{"ab": text})
	clock, err := mono.NewClock()
	if err != nil {
		return 1
	}
	l.rig.now, l.rig.place = session.ClockNow(clock), session.Place{Path: lock, Socket: socket}
	l.fake.onMeasure = func(_ context.Context, variant, scenario string, nth int, m *record.Measurement) error {
		m.Interfered = variant == "new" && scenario == "small" && nth == 1 // of this process
		return nil
	}
	around := l.surroundings()
	around.Observer.Measured = func(m Measured) { fmt.Println("measured", m.Round, m.Run, m.Variant, m.Scenario, m.Attempt) }
	rigFor := func(Order) (*rig, error) { return &l.rig, nil }
	_, err = resumeWith(context.Background(), l.sessionDir(), Order{}, around, rigFor)
	if errors.Is(err, os.ErrNotExist) {
		_, err = runWith(context.Background(), l.order("ab"), around, rigFor)
	}
	if err != nil && !errors.Is(err, ErrFinished) {
		fmt.Println("error", err)
		return 1
	}
	fmt.Println("done")
	return 0
}

// Killed at random moments and resumed each time, a session comes to its end with every
// measurement once, and nothing that a driver said was measured is lost.
func TestKilledAtRandomMoments(t *testing.T) { testKilled(t, twoRounds) }

// So does one whose variants take turns, and the halves of each pair are of one.
func TestKilledInTurns(t *testing.T) {
	l := testKilled(t, strings.Replace(twoRounds, "rounds: 2}", "rounds: 2, interleave: sliced}\ngate: {policy: noninferior}", 1))
	pairs := map[string][]record.Measurement{}
	for n := 1; n <= 2; n++ {
		for _, m := range l.round(t, n).Measurements {
			pairs[m.Pair] = append(pairs[m.Pair], m)
		}
	}
	for id, halves := range pairs {
		if len(halves) != 2 || halves[0].Variant == halves[1].Variant || halves[0].Scenario != halves[1].Scenario || halves[0].Run != halves[1].Run {
			t.Errorf("pair %q: %+v", id, halves)
		}
	}
}

func testKilled(t *testing.T, text string) *lab {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	dir, lock := t.TempDir(), filepath.Join(t.TempDir(), "lock")
	socket := fmt.Sprintf("scalbench-test-%d-%s", os.Getpid(), t.Name())
	kills, done := 0, false
	said := map[string]bool{}
	for !done {
		lines := random.IntN(4)
		if kills >= 12 {
			lines = 1 << 20
		}
		done = killAfter(t, lines, time.Duration(random.Int64N(int64(8*time.Millisecond))), said, dir, lock, socket, text)
		if !done {
			kills++
		}
	}
	t.Logf("%d kills, %d measurements", kills, len(said))
	if kills < 5 {
		t.Errorf("%d kills: the session came to its end too soon to say anything", kills)
	}
	l := labIn(dir, nil)
	state := l.state(t)
	for n := 1; n <= 2; n++ {
		// 2 runs of 2 variants of 2 scenarios
		if r := l.round(t, n); !r.Finished || len(r.Measurements) != 8 || len(r.Identity.Differs) != 1 {
			t.Errorf("round %d: %+v", n, r)
		}
	}
	for _, k := range state.Keys(1) {
		if c := state.Cells[k]; c.Status != session.Valid {
			t.Errorf("%s: %+v", k, c)
		}
	}
	for line := range said {
		var k session.Key
		var attempt int
		if _, err := fmt.Sscan(line, new(string), &k.Round, &k.Run, &k.Variant, &k.Scenario, &attempt); err != nil {
			t.Fatal(err)
		}
		layout := session.Layout{Results: l.results, Table: "lab-ab"}
		row, err := session.ReadRow(layout.MeasurementDir(k))
		if err != nil || row.Attempt != attempt {
			row, err = session.ReadRow(layout.SupersededDir(k, attempt))
		}
		if err != nil || row.Attempt != attempt {
			t.Errorf("%s was said, and is %+v, %v", line, row, err)
		}
	}
	return l
}

// killAfter runs a driver and kills it a while after so many lines; true when it came
// to its end before.
func killAfter(t *testing.T, lines int, while time.Duration, said map[string]bool, args ...string) (done bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), roleVariable+"=killed")
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	scanner := bufio.NewScanner(stdout)
	for n := 0; ; n++ {
		if n == lines {
			timer := time.AfterFunc(while, func() { cmd.Process.Kill() }) // an error when it has ended
			defer timer.Stop()
		}
		if !scanner.Scan() {
			break
		}
		var word string
		switch fmt.Sscan(scanner.Text(), &word); word {
		case "done":
			done = true
		case "measured":
			said[scanner.Text()] = true
		default:
			t.Fatalf("the driver said %q", scanner.Text())
		}
	}
	cmd.Wait() // says that it was killed
	return done
}
