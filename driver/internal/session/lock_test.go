package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// holdRole takes a lock, starts a child that outlives it, says so, and keeps it until its
// stdin ends.
func holdRole(path, socket string) {
	owner, err := Self("/proc", []string{"scalbench", "run", "gate1.yaml"})
	if err != nil {
		fmt.Println(err)
		return
	}
	lock, err := Acquire(Place{Path: path, Socket: socket}, owner, time.Now)
	if err != nil {
		fmt.Println(err)
		return
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), roleVariable+"=idle")
	child.Stdin = os.Stdin
	if err := child.Start(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("held", os.Getpid())
	io.Copy(io.Discard, os.Stdin)
	if err := lock.Release(); err != nil {
		fmt.Println(err)
	}
	child.Wait()
}

func self(t *testing.T) Owner {
	t.Helper()
	o, err := Self("/proc", []string{"scalbench", "run"})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func acquire(t *testing.T, place Place) *Lock {
	t.Helper()
	lock, err := Acquire(place, self(t), wall)
	if err != nil {
		t.Fatal(err)
	}
	if len(lock.Notes) > 0 {
		t.Errorf("notes: %q", lock.Notes)
	}
	t.Cleanup(func() {
		if lock != nil {
			lock.Release() // fails where the test did
		}
	})
	return lock
}

// wantBusy tries a lock that somebody has, and returns who.
func wantBusy(t *testing.T, place Place) *BusyError {
	t.Helper()
	lock, err := Acquire(place, self(t), wall)
	var busy *BusyError
	if lock != nil || !errors.Is(err, ErrBusy) || !errors.As(err, &busy) {
		t.Fatalf("got lock %v and %v, want it busy", lock, err)
	}
	return busy
}

// Two processes, one lock; when the first is killed, the second has it, although a
// child of the first still runs.
func TestTwoProcesses(t *testing.T) {
	place := testPlace(t)
	holder, said := startRole(t, "hold", place.Path, place.Socket)
	if got, want := readLine(t, said), fmt.Sprint("held ", holder.Process.Pid); got != want {
		t.Fatalf("the holder says %q, want %q", got, want)
	}
	busy := wantBusy(t, place)
	if busy.Owner == nil || busy.Owner.PID != holder.Process.Pid || busy.Live != Running || busy.Taken != place.Path {
		t.Errorf("busy: %+v, owner %+v, want the holder's", busy, busy.Owner)
	}
	if text := busy.Error(); !strings.Contains(text, "host is busy: pid ") || !strings.Contains(text, "scalbench run gate1.yaml") {
		t.Errorf("told %q", text)
	}
	kill(t, holder)
	lock := acquire(t, place) // the flock and the socket went with the process
	if err := lock.Held(); err != nil {
		t.Error(err)
	}
	if o, live := Look(place); o == nil || o.PID != os.Getpid() || live != Running {
		t.Errorf("owner %+v, %v, want this process", o, live)
	}
}

// A lock file that nobody holds means nothing, whatever stands in the owner file.
func TestStaleFiles(t *testing.T) {
	place := testPlace(t)
	gone := self(t)
	gone.Start -= time.Second // another process with this PID
	if err := os.WriteFile(place.Path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writeOwner(place.Path, gone); err != nil {
		t.Fatal(err)
	}
	if o, live := Look(place); o == nil || live != Ended {
		t.Errorf("owner %+v is %v, want one that has ended", o, live)
	}
	lock := acquire(t, place)
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(place.Path); err != nil {
		t.Errorf("the lock file is gone after release: %v", err)
	}
	if o, _ := Look(place); o != nil {
		t.Errorf("after release there is an owner: %+v", o)
	}
}

// Unlinked or replaced, the lock is lost, and the holder is told; a second session is
// kept out by the socket all the same.
func TestLockLost(t *testing.T) {
	tests := []struct {
		name string
		do   func(path string) error
		text string
	}{
		{"unlinked", os.Remove, "was removed"},
		{"replaced", func(path string) error {
			return errors.Join(os.WriteFile(path+".new", nil, 0o600), os.Rename(path+".new", path))
		}, "was replaced"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			place := testPlace(t)
			lock := acquire(t, place)
			if err := test.do(place.Path); err != nil {
				t.Fatal(err)
			}
			if err := lock.Held(); !errors.Is(err, ErrLockLost) || !strings.Contains(err.Error(), test.text) {
				t.Errorf("held: %v, want it lost, since it %s", err, test.text)
			}
			busy := wantBusy(t, place)
			if busy.Taken != "@"+place.Socket || busy.Owner == nil || busy.Owner.PID != os.Getpid() {
				t.Errorf("busy: %+v, owner %+v, want the socket's", busy, busy.Owner)
			}
			// A session with another socket, as in another network namespace, gets the new
			// file; what it wrote beside it is not for the loser to remove.
			other := acquire(t, Place{Path: place.Path, Socket: place.Socket + "-other"})
			if err := lock.Release(); err != nil {
				t.Fatal(err)
			}
			if _, err := readOwner(place.Path); err != nil {
				t.Errorf("the loser removed the winner's owner file: %v", err)
			}
			if err := other.Held(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A file that is swapped between open and flock is opened again, but not for ever.
func TestLockFileSwapped(t *testing.T) {
	path := filepath.Join(t.TempDir(), lockName)
	opened, swaps := 0, 2
	swapping := func(path string) (*os.File, error) {
		opened++
		f, err := openLock(path)
		if err == nil && opened <= swaps {
			err = os.Remove(path)
		}
		return f, err
	}
	locked, err := lockOpened(path, swapping)
	if err != nil || opened != 3 {
		t.Fatalf("locked at opening %d: %v, want the third", opened, err)
	}
	defer unlockFile(locked)
	if err := sameFile(locked, path); err != nil {
		t.Error(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	opened, swaps = 0, 1<<20
	if _, err := lockOpened(path, swapping); err == nil || !strings.Contains(err.Error(), "was replaced each of 10 times") {
		t.Errorf("swapped for ever: %v", err)
	}
}

// A link at the lock's place is not followed: anybody may lay one into /tmp.
func TestLockFileLink(t *testing.T) {
	path := filepath.Join(t.TempDir(), lockName)
	if err := os.Symlink(os.DevNull, path); err != nil {
		t.Fatal(err)
	}
	if f, err := openLock(path); err == nil {
		t.Errorf("it was followed to %s", f.Name())
	}
}

// An owner file that cannot be written is a note; the lock holds, the socket answers.
func TestOwnerFileRefused(t *testing.T) {
	place := testPlace(t)
	if err := os.Mkdir(ownerPath(place.Path), 0o755); err != nil {
		t.Fatal(err)
	}
	lock, err := Acquire(place, self(t), wall)
	if err != nil || len(lock.Notes) != 1 {
		t.Fatalf("notes %q, %v, want one", lock.Notes, err)
	}
	if busy := wantBusy(t, place); busy.Owner == nil || busy.Owner.PID != os.Getpid() {
		t.Errorf("busy: %+v", busy)
	}
	if err := lock.Release(); err != nil {
		t.Error(err)
	}
}

func TestChoosePath(t *testing.T) {
	dir := t.TempDir()
	missing, good := filepath.Join(dir, "missing", lockName), filepath.Join(dir, lockName)
	if got, err := ChoosePath([]string{missing, good, filepath.Join(t.TempDir(), lockName)}); err != nil || got != good {
		t.Errorf("chose %q, %v, want %q", got, err, good)
	}
	if _, err := ChoosePath([]string{missing}); err == nil || !strings.Contains(err.Error(), "--lock PATH") {
		t.Errorf("no place: %v", err)
	}
	want := []string{"/run/lock/scalbench.lock", "/run/user/7/scalbench.lock", "/tmp/scalbench.lock"}
	if got := LockPaths("/run/user/7"); !reflect.DeepEqual(got, want) {
		t.Errorf("places %q, want %q", got, want)
	}
}

// What is told changes at once at the socket, and with the session in the file.
func TestTell(t *testing.T) {
	place := testPlace(t)
	lock := acquire(t, place)
	doing := Doing{Session: "20261130-210400-00000001", SessionDir: "/r/xeon-gate1.session", PlanHash: "abc", Progress: Progress{Total: 16, Done: 3}}
	if err := lock.Tell(doing); err != nil {
		t.Fatal(err)
	}
	inFile, err := readOwner(place.Path)
	if err != nil || !reflect.DeepEqual(inFile.Doing, doing) || !inFile.Since.Equal(wall()) {
		t.Errorf("file: %+v, %v, want %+v", inFile, err, doing)
	}
	doing.Progress.Done = 4
	if err := lock.Tell(doing); err != nil {
		t.Fatal(err)
	}
	busy := wantBusy(t, place)
	if !reflect.DeepEqual(busy.Owner.Doing, doing) {
		t.Errorf("socket: %+v, want %+v", busy.Owner.Doing, doing)
	}
	if !busy.Measures("abc") || busy.Measures("abd") || busy.Measures("") || (&BusyError{}).Measures("abc") {
		t.Error("a second copy of a plan is told by its hash alone")
	}
	if text, err := json.Marshal(lock.Owner()); err != nil || !strings.Contains(string(text), `"plan_hash":"abc"`) {
		t.Errorf("owner as JSON: %s, %v", text, err)
	}
}

// A waiter gets the lock when it is free, and ends by what busy says or by its context.
func TestWait(t *testing.T) {
	place := testPlace(t)
	lock := acquire(t, place)
	looks := 0
	got, err := Wait(context.Background(), place, self(t), wall, time.Millisecond, func(busy *BusyError) error {
		looks++
		if looks == 3 {
			return lock.Release()
		}
		return nil
	})
	if err != nil || looks != 3 {
		t.Fatalf("%v after %d looks, want the lock after 3", err, looks)
	}
	defer got.Release()

	enough := errors.New("already being measured")
	if _, err := Wait(context.Background(), place, self(t), wall, time.Hour, func(*BusyError) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("ended by %v, want %v", err, enough)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := Wait(ctx, place, self(t), wall, time.Hour, func(*BusyError) error { cancel(); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("ended by %v, want it cancelled", err)
	}
}

// Something else has the socket's name.
func TestForeignSocket(t *testing.T) {
	place := testPlace(t)
	g, err := listenGuard(place.Socket, func() Owner { return Owner{} })
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	busy := wantBusy(t, place)
	if busy.Owner != nil || !strings.Contains(busy.Error(), "does not say who it is") {
		t.Errorf("busy: %v", busy)
	}
	if f, err := lockFile(place.Path); err != nil {
		t.Errorf("the file stayed locked after the socket was taken: %v", err)
	} else if err := unlockFile(f); err != nil {
		t.Error(err)
	}
}

func TestCoverage(t *testing.T) {
	tests := []struct {
		name      string
		namespace string
		mark      string
		container bool
	}{
		{"host", initPIDNamespace, "", false},
		{"namespace", "pid:[4026532190]", "", true},
		{"docker with the host's processes", initPIDNamespace, ".dockerenv", true},
		{"podman", "", "run/.containerenv", true},
		{"nothing to read", "", "", false},
	}
	for _, test := range tests {
		root := t.TempDir()
		if err := os.MkdirAll(filepath.Join(root, "proc/self/ns"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(root, "run"), 0o755); err != nil {
			t.Fatal(err)
		}
		if test.namespace != "" {
			if err := os.Symlink(test.namespace, filepath.Join(root, "proc/self/ns/pid")); err != nil {
				t.Fatal(err)
			}
		}
		if test.mark != "" {
			if err := os.WriteFile(filepath.Join(root, test.mark), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := Coverage(root, "/l"); (got != "") != test.container || test.container && !strings.Contains(got, "--lock PATH") {
			t.Errorf("%s: %q", test.name, got)
		}
	}
}
