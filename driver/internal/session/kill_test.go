package session

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/record"
)

// fakeResult is long enough to be cut in the middle of a write.
type fakeResult struct {
	Key     string
	Attempt int
	Filling string
	End     bool
}

// measureRole begins a session, or goes on with one that was killed, and takes it to its
// end as a driver would, but that measuring takes no time. It says what is finished.
func measureRole(results, table string) {
	err := measureAll(results, table)
	if err != nil && !errors.Is(err, ErrFinished) { // killed after its end, before it said so
		fmt.Println("error", err)
		return
	}
	fmt.Println("done")
}

func measureAll(results, table string) error {
	clock, err := mono.NewClock()
	if err != nil {
		return err
	}
	s, err := claimOrResume(Layout{results, table}, ClockNow(clock))
	if err != nil {
		return err
	}
	for round := 1; round <= s.Plan.Rounds; round++ {
		state := s.State()
		if state.Rounds[round].Done {
			continue
		}
		if !state.Rounds[round].Begun {
			if err := s.StartRound(round, orderOf(s.Plan, round), ""); err != nil {
				return err
			}
		}
		for run := 1; run <= s.Plan.Runs; run++ {
			if err := measureRun(s, round, run, clock); err != nil {
				return err
			}
			if err := s.SealRun(round, run, nil); err != nil {
				return err
			}
		}
		if err := s.FinishRound(round, testIdentity()); err != nil {
			return err
		}
	}
	return s.Finish()
}

func claimOrResume(l Layout, now Now) (*Session, error) {
	s, _, err := Resume(l, bootA, now)
	if !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	return Claim(l, testPlan("id-"+l.Table), testHost(), bootA, now)
}

// measureRun measures what is missing in a run; the first pair of each round is redone
// once.
func measureRun(s *Session, round, run int, clock mono.Clock) error {
	for again := true; again; {
		again = false
		for _, k := range orderOf(s.Plan, round) {
			state := s.State()
			if k.Run != run || !state.Missing(k) {
				continue
			}
			again = true
			a, err := s.Begin(k)
			if err != nil {
				return err
			}
			at := clock.Now()
			if err := os.WriteFile(filepath.Join(a.Dir(), "server.log"), []byte("started\nended\n"), 0o644); err != nil {
				return err
			}
			result, err := json.Marshal(fakeResult{k.String(), a.Number, strings.Repeat("x", 20_000), true})
			if err != nil {
				return err
			}
			if err := a.Write("result.json", result); err != nil {
				return err
			}
			if err := a.Commit(validRow(at)); err != nil {
				return err
			}
			line, err := json.Marshal(finished{k, a.Number})
			if err != nil {
				return err
			}
			fmt.Println(string(line))
			if k.Run == 1 && k.Variant == "el8" && k.Mode == "" && a.Number == 1 {
				if _, err := s.Redo(k, "interfered"); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// finished is what the driver says when a commit has returned.
type finished struct {
	Key     Key
	Attempt int
}

// spoken is what a driver said until its end.
type spoken struct {
	finished []finished
	done     bool

	// How long its first line took, and the last one after the one before; 0: there
	// was none.
	first, next time.Duration
}

// runDriver runs a driver and kills it a while after so many lines; it may come to its
// end before.
func runDriver(t *testing.T, l Layout, lines int, while time.Duration) spoken {
	t.Helper()
	cmd := exec.Command(os.Args[0], l.Results, l.Table)
	cmd.Env = append(os.Environ(), roleVariable+"=measure")
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	last := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var all spoken
	said := bufio.NewScanner(stdout)
	for n := 0; ; n++ {
		if n == lines {
			timer := time.AfterFunc(while, func() { cmd.Process.Kill() }) // an error when it has ended
			defer timer.Stop()
		}
		if !said.Scan() {
			break
		}
		now := time.Now()
		if n == 0 {
			all.first = now.Sub(last)
		} else {
			all.next = now.Sub(last)
		}
		last = now
		var f finished
		switch {
		case said.Text() == "done":
			all.done = true
		case json.Unmarshal(said.Bytes(), &f) == nil:
			all.finished = append(all.finished, f)
		default:
			t.Errorf("the driver said %q", said.Text())
		}
	}
	cmd.Wait() // says that it was killed
	return all
}

// Killed at 50 random moments, resumed each time: no finished measurement is lost, no
// file is half-written, and in the end every session is whole.
func TestKilledAtRandomMoments(t *testing.T) {
	const (
		kills   = 50
		endless = 1 << 20 // lines
	)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	killed, sessions, first, next := 0, 0, 50*time.Millisecond, 5*time.Millisecond
	var l Layout
	var known []finished // of the session that is under way
	for done := true; killed < kills || !done; {
		if done {
			sessions++
			l, known = Layout{t.TempDir(), fmt.Sprint("s", sessions)}, nil
		}
		// A whole session says some twenty lines, so it is killed about five times. A while
		// of up to what a line took lately reaches every moment between two of them.
		lines, while := random.IntN(8), next
		if lines == 0 {
			while = first
		}
		if killed == kills {
			lines = endless
		}
		all := runDriver(t, l, lines, time.Duration(random.Int64N(int64(2*while))))
		known = append(known, all.finished...)
		first, next = cmp.Or(all.first, first), cmp.Or(all.next, next)
		wantWholeFiles(t, l.Results)
		wantFinished(t, l, known)
		if done = all.done; done {
			wantWholeSession(t, l)
		} else {
			killed++
		}
		if t.Failed() {
			t.Fatalf("after %d kills", killed)
		}
	}
	t.Logf("%d sessions, %d kills", sessions, kills)
}

// wantWholeFiles looks at every file that is in its place.
func wantWholeFiles(t *testing.T, results string) {
	t.Helper()
	err := filepath.WalkDir(results, func(path string, d fs.DirEntry, err error) error {
		base := filepath.Base(path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasSuffix(base, partSuffix) || strings.HasPrefix(base, ".")):
			return fs.SkipDir // under way, and says so
		case d.IsDir() || strings.HasPrefix(base, "."):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var result fakeResult
		switch base {
		case record.SummaryFile, RowFile:
			_, err = record.ReadSummary(bytes.NewReader(text), path)
		case record.AggregateFile:
			_, err = record.ReadAggregate(bytes.NewReader(text), path)
		case record.IdentityFile:
			_, err = record.ReadIdentity(bytes.NewReader(text), path)
		case record.PlanFile:
			_, err = record.ReadPlan(bytes.NewReader(text), path)
		case record.HostFile:
			_, err = record.ReadHost(bytes.NewReader(text), path)
		case record.JournalFile:
			_, err = record.ReadJournal(bytes.NewReader(text), path)
		case "result.json":
			if err = json.Unmarshal(text, &result); err == nil && !result.End {
				err = errors.New("without its end")
			}
		case "server.log":
			if string(text) != "started\nended\n" {
				err = errors.New("cut")
			}
		case record.AggregateTextFile:
			if len(text) == 0 || text[len(text)-1] != '\n' {
				err = errors.New("cut")
			}
		default:
			err = errors.New("what is that")
		}
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// wantFinished looks for what the drivers said was finished: in its place, or beside it
// when it was measured again, and known to the journal.
func wantFinished(t *testing.T, l Layout, known []finished) {
	t.Helper()
	if len(known) == 0 {
		return
	}
	on, _, err := Read(l)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range known {
		row, there, err := l.readRow(f.Key, f.Attempt)
		if err == nil && !there {
			row, there, err = readRowFile(l.SupersededDir(f.Key, f.Attempt))
		}
		if err != nil || !there || row.State != record.Valid || row.Attempt != f.Attempt {
			t.Errorf("attempt %d of %s was finished and is %+v, %v, %v", f.Attempt, f.Key, row, there, err)
		}
		accepted := slices.ContainsFunc(on.Journal.Of(record.Accepted), func(e record.Event) bool {
			return keyOf(e) == f.Key && e.Attempt == f.Attempt
		})
		if !accepted {
			t.Errorf("attempt %d of %s was finished, but the journal does not say so", f.Attempt, f.Key)
		}
	}
}

// wantWholeSession reads a session that came to its end as a gate would.
func wantWholeSession(t *testing.T, l Layout) {
	t.Helper()
	on, state, err := Read(l)
	if err != nil || !state.Done || on.Journal.Torn {
		t.Fatalf("session %s: done %v, %v", l.Table, state.Done, err)
	}
	for n := 1; n <= on.Plan.Rounds; n++ {
		r, err := record.ReadRound(os.DirFS(l.Results), filepath.Base(l.RoundDir(n)))
		if err != nil || !r.Finished || r.Session != on.Plan.Session || len(r.Measurements) != len(orderOf(on.Plan, n)) {
			t.Fatalf("round %d of %s: %+v, %v", n, l.Table, r, err)
		}
		for _, m := range r.Measurements {
			k := Key{m.Round, m.Run, m.Variant, m.Mode, m.Scenario}
			c := state.Cells[k]
			if c.Status != Valid || c.Attempt != m.Attempt || m.State != record.Valid {
				t.Errorf("%s: the table has attempt %d, %v, the journal %+v", k, m.Attempt, m.State, c)
			}
			// No half of a pair is from before a cut of the other.
			for _, e := range on.Journal.Of(record.Rejected) {
				if slices.Contains(Partners(on.Plan, k), keyOf(e)) && e.MonoNS > c.BegunNS {
					t.Errorf("%s was measured from %d ns on, its partner %s at %d ns", k, c.BegunNS, e.Text, e.MonoNS)
				}
			}
		}
	}
}
