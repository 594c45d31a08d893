package target

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/procfs"
)

// helperAndServer are an upstream and a server that is told its URL. Both are
// this test binary.
func helperAndServer(t *testing.T) (commands []Command, server, upstream cpuset.Set) {
	t.Helper()
	becomeServers(t)
	cpus, err := cpuset.Allowed()
	if err != nil {
		t.Fatal(err)
	}
	server, upstream = Place(cpus)
	return []Command{
		{Name: "upstream", Exe: os.Args[0], CPUs: upstream},
		{Name: "server", Exe: os.Args[0], Args: []string{"{upstream}"}, CPUs: server},
	}, server, upstream
}

func TestGroupServesAndIsPlaced(t *testing.T) {
	commands, serverCPUs, upstreamCPUs := helperAndServer(t)
	group, err := StartGroup(context.Background(), commands, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	server, upstream := group.Named("server"), group.Named("upstream")
	resp, body := get(t, "GET", server.URL+"/proxy", nil)
	if resp.StatusCode != 200 || hexSHA256(body) != smallSHA256 {
		t.Errorf("status %d, body %q", resp.StatusCode, body)
	}
	for _, test := range []struct {
		pid  int
		want cpuset.Set
	}{{server.PID(), serverCPUs}, {upstream.PID(), upstreamCPUs}} {
		if got, err := procfs.NewFS("/proc").Allowed(test.pid); err != nil || got != test.want {
			t.Errorf("process runs on CPUs %s, %v, want %s", got, err, test.want)
		}
	}
	if group.Named("other") != nil {
		t.Error("found a process that is not there")
	}
	http.DefaultClient.CloseIdleConnections()
	if err := group.Stop(); err != nil {
		t.Error(err)
	}
	for _, p := range group {
		if err := syscall.Kill(p.PID(), 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("%s after Stop: %v, want no such process", p.Name, err)
		}
	}
}

// An upstream that dies on the way is what the server answers, and Stop says
// how it ended; nothing is left.
func TestGroupUpstreamDies(t *testing.T) {
	commands, _, _ := helperAndServer(t)
	var log bytes.Buffer
	group, err := StartGroup(context.Background(), commands, &log)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(group.Named("upstream").PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for range 2 { // also when a kept connection was there before
		// The kill is not synchronous: until it is done there may be answers.
		if err := awaitStatus(t, group.Named("server").URL+"/proxy", 502); err != nil {
			t.Error(err)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	if err := group.Stop(); err == nil || err.Error() != "stop upstream: signal: killed" {
		t.Errorf("Stop: %v, want how the upstream ended, and nothing of the server", err)
	}
	for _, p := range group {
		if err := syscall.Kill(p.PID(), 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("%s after Stop: %v, want no such process", p.Name, err)
		}
	}
	if !strings.Contains(log.String(), "target: upstream http://127.0.0.1:") {
		t.Errorf("log %q, want the server's fault", log.String())
	}
}

// When the second does not start, the first is not left behind, and it is said
// which one it was.
func TestGroupSecondDoesNotStart(t *testing.T) {
	commands, _, _ := helperAndServer(t)
	for name, second := range map[string]Command{
		"no such program": {Exe: "/no/such/program"},
		"says nothing":    {Exe: "/bin/true"},
		"says otherwise":  {Exe: "/bin/echo", Args: []string{"hello"}},
		"bad upstream":    {Exe: os.Args[0], Args: []string{"{downstream}"}},
	} {
		t.Run(name, func(t *testing.T) {
			pidFile := filepath.Join(t.TempDir(), "pid")
			first := commands[0]
			// The shell becomes the helper and has told its number before.
			first.Exe, first.Args = "/bin/sh", []string{"-c", `echo $$ >"$0"; exec "$1"`, pidFile, os.Args[0]}
			second.Name, second.CPUs = "server", commands[1].CPUs
			group, err := StartGroup(context.Background(), []Command{first, second}, new(bytes.Buffer))
			if group != nil || err == nil || !strings.Contains(err.Error(), "start server: ") {
				t.Errorf("group %v, error %v", group, err)
			}
			text, err := os.ReadFile(pidFile)
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			if err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("the helper: %v, want no such process", err)
			}
		})
	}
}

func TestGroupCancelled(t *testing.T) {
	commands, _, _ := helperAndServer(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if group, err := StartGroup(ctx, commands, new(bytes.Buffer)); group != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("group %v, error %v", group, err)
	}
}

func TestFillIn(t *testing.T) {
	group := Group{{Name: "upstream", URL: "http://h:1"}, {Name: "other", URL: "http://h:2"}}
	for _, test := range []struct{ arg, want string }{
		{"{upstream}", "http://h:1"},
		{"--pair={upstream},{other}", "--pair=http://h:1,http://h:2"},
		{"{server}", "{server}"}, // later than the others: stays
		{"upstream", "upstream"},
		{"", ""},
	} {
		if got := group.fillIn([]string{test.arg}); len(got) != 1 || got[0] != test.want {
			t.Errorf("%q becomes %q, want %q", test.arg, got, test.want)
		}
	}
	if got := Group(nil).fillIn([]string{"{upstream}"}); got[0] != "{upstream}" {
		t.Errorf("without processes: %q", got)
	}
}
