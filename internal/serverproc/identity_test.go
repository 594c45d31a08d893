package serverproc

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A listener of somebody else at the server's port is named: before the start, and while
// the server shares the port with it.
func TestForeignListener(t *testing.T) {
	port := freePort(t)
	if err := FreePorts([]Port{port}); err != nil {
		t.Errorf("a free port: %v", err)
	}
	foreign, err := listenShared(port.Addr.String())
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.Close()
	us := fmt.Sprintf("%s[%d]", filepath.Base(self(t)), os.Getpid())
	if err := FreePorts([]Port{port}); err == nil || !strings.Contains(err.Error(), port.String()+": port is taken by "+us) {
		t.Errorf("taken by %s: %v", us, err)
	}

	// It starts all the same, and half of the connections go to us.
	s := start(t, testSpec(t, roleServe, port.Addr.String()))
	var seen Observation
	eventually(t, "the server listens", func() bool {
		var err error
		if seen, err = NewObserver(procDir).Observe(subjectOf(t, s, port)); err != nil {
			t.Fatal(err)
		}
		return seen.Ports[0].Own == 1
	})
	wrong := Check(Expect{Ports: []Port{port}}, seen)
	if want := port.String() + " is shared with " + us; len(wrong) != 1 || wrong[0].Trait != TraitPorts || wrong[0].Sentence != want {
		t.Errorf("violations %v, want %q", wrong, want)
	}
	// Another instance of the same server would be no neighbour.
	subject := subjectOf(t, s, port)
	subject.Siblings = []int{os.Getpid()}
	if seen, err = NewObserver(procDir).Observe(subject); err != nil || seen.Ports[0].Own != 2 || len(seen.Ports[0].Neighbours) > 0 {
		t.Errorf("with a sibling: %+v, %v", seen.Ports, err)
	}
	foreign.Close()
	if seen, err = NewObserver(procDir).Observe(subjectOf(t, s, port)); err != nil || len(Check(Expect{Ports: []Port{port}}, seen)) > 0 {
		t.Errorf("without the foreign listener: %+v, %v", seen.Ports, err)
	}
}

func TestNobodyListens(t *testing.T) {
	port := freePort(t)
	s := start(t, testSpec(t, roleStay))
	seen, err := NewObserver(procDir).Observe(subjectOf(t, s, port))
	if err != nil {
		t.Fatal(err)
	}
	wrong := Check(Expect{Ports: []Port{port}}, seen)
	if len(wrong) != 1 || wrong[0].Sentence != "the server does not listen at "+port.String() {
		t.Errorf("violations %v", wrong)
	}
}

// A wrapper that stays in between is told, and one that executes the server is not seen.
func TestWrapper(t *testing.T) {
	for _, test := range []struct{ script, want string }{
		{`exec "$0" role:serve "$1"`, ""},
		{`"$0" role:serve "$1"; exit 0`, "which runs below it as process"},
	} {
		port := freePort(t)
		spec := testSpec(t)
		spec.Command = []string{"/bin/sh", "-c", test.script, self(t), port.Addr.String()}
		s := start(t, spec)
		await(t, s, port)
		seen, err := NewObserver(procDir).Observe(subjectOf(t, s, port))
		if err != nil {
			t.Fatal(err)
		}
		expect, err := Expect{Exe: self(t)}.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		wrong := Check(expect, seen)
		if test.want == "" {
			if len(wrong) > 0 {
				t.Errorf("%s: violations %v", test.script, wrong)
			}
			continue
		}
		// Exe and its hash.
		if len(wrong) != 2 || !strings.Contains(wrong[0].Sentence, test.want) || !strings.HasSuffix(wrong[0].Sentence, "the wrapper must exec") {
			t.Errorf("%s: violations %v, want %q", test.script, wrong, test.want)
		}
		// SIGTERM goes to the pid alone, which is the shell: the server has to be killed.
		if stopped, err := s.Stop(t.Context(), 30*time.Millisecond); err != nil || len(stopped.Killed) != 1 || stopped.Killed[0].PID != seen.Members[1].PID {
			t.Errorf("%s: stopped %+v, %v, want the server killed", test.script, stopped, err)
		}
	}
}

// A binary that is replaced under the run is seen in the process that runs the old one,
// and the new one in the process that is started next.
func TestBinaryReplaced(t *testing.T) {
	_, exe := copySelf(t)
	expect, err := Expect{Exe: exe}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	spec := testSpec(t, roleStay)
	spec.Command[0] = exe
	s := start(t, spec)
	observer := NewObserver(procDir)
	check := func(s *Server) []Violation {
		seen, err := observer.Observe(subjectOf(t, s))
		if err != nil {
			t.Fatal(err)
		}
		return Check(expect, seen)
	}
	if wrong := check(s); len(wrong) > 0 {
		t.Fatalf("before: violations %v", wrong)
	}
	other := exe + ".new"
	copyFile(t, self(t), other)
	file, err := os.OpenFile(other, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString("another build"); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other, exe); err != nil {
		t.Fatal(err)
	}
	if wrong := check(s); len(wrong) != 1 || wrong[0].Trait != TraitExe || !strings.Contains(wrong[0].Sentence, "was replaced since") {
		t.Errorf("old process: violations %v", wrong)
	}
	spec.Stdout, spec.Stderr = spec.Stdout+".2", spec.Stderr+".2"
	if wrong := check(start(t, spec)); len(wrong) != 1 || wrong[0].Trait != TraitSHA256 {
		t.Errorf("new process: violations %v", wrong)
	}
}

func TestObserveWhatHasEnded(t *testing.T) {
	s := start(t, testSpec(t, roleExit, "0", "bye"))
	<-s.Exited()
	seen, err := NewObserver(procDir).Observe(Subject{PID: s.PID()})
	if err != nil || !seen.Gone {
		t.Errorf("observed %+v, %v, want that it is gone", seen, err)
	}
	if wrong := Check(Expect{Processes: 1}, seen); len(wrong) != 1 || wrong[0].Trait != TraitAlive {
		t.Errorf("violations %v", wrong)
	}
}

// What an ordinary user may not read of another's process is n/a, and no error.
func TestObserveAnothersProcess(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything; TestAsOrdinaryUser runs this")
	}
	seen, err := NewObserver(procDir).Observe(Subject{PID: 1, Tree: []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]Fact[string]{"exe": seen.Server.Exe, "sha256": seen.Server.SHA256} {
		if f.Known() || !strings.Contains(f.NA, "may not read the executable of process 1") {
			t.Errorf("%s of process 1: %v", name, f)
		}
	}
	if seen.Server.Env.Known() {
		t.Errorf("environment of process 1: %v", seen.Server.Env)
	}
	if seen.Server.RealUID != 0 || !seen.Server.Security.Seccomp.Known() {
		t.Errorf("user %d, seccomp %v of process 1", seen.Server.RealUID, seen.Server.Security.Seccomp)
	}
	var tally Tally
	tally.Add(Expect{Exe: "/sbin/init"}, seen)
	if ok, total := tally.Samples(); ok != 1 || total != 1 {
		t.Errorf("%d of %d samples", ok, total)
	}
	for _, c := range tally.Counts(Expect{Exe: "/sbin/init"}) {
		if c.Trait == TraitExe && (c.Samples != 0 || c.NA == "") {
			t.Errorf("count of exe: %+v, want n/a", c)
		}
	}
}

// An orphan is found and ended; what a supervisor looks after is none.
func TestOrphans(t *testing.T) {
	spec := testSpec(t, roleDeaf)
	spec.Env = append(spec.Env[:len(spec.Env)-1], SessionVariable+"=supervised")
	s := start(t, spec)
	mine := func() (found []Orphan) {
		orphans, err := Orphans("current")
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range orphans {
			if o.Session == "supervised" {
				found = append(found, o)
			}
		}
		return found
	}
	eventually(t, "it says its pid", func() bool { return len(saidPIDs(t, spec.Stdout)) == 1 })
	if found := mine(); len(found) > 0 {
		t.Errorf("a supervised server is an orphan: %v", found)
	}

	spec = testSpec(t, roleDaemon)
	spec.Env = append(spec.Env[:len(spec.Env)-1], SessionVariable+"=supervised")
	left := start(t, spec)
	eventually(t, "the child says its pid", func() bool { return len(saidPIDs(t, spec.Stdout)) == 1 })
	child := saidPIDs(t, spec.Stdout)[0]
	if err := left.supervisor.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-left.ended
	found := mine()
	if len(found) != 1 || found[0].PID != child {
		t.Fatalf("orphans %v, want process %d alone", found, child)
	}
	other := found[0]
	other.Start++ // another process that had this number
	if err := Reap([]Orphan{other}); err != nil || isGone(child) {
		t.Errorf("another process with that number: %v, gone %t", err, isGone(child))
	}
	if err := Reap(found); err != nil {
		t.Error(err)
	}
	eventually(t, "the orphan is gone", func() bool { return isGone(child) })
	if err := Reap(found); err != nil {
		t.Errorf("reap what has ended: %v", err)
	}
	if stopped, err := s.Stop(t.Context(), 0); err != nil || stopped.Exit.Signal != syscall.SIGKILL {
		t.Errorf("stopped %+v, %v", stopped, err)
	}
}
