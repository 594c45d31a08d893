package serverproc

import (
	"bufio"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestParseSecurity(t *testing.T) {
	const status = "Name:\tserver\nCapEff:\t00000000a80425fb\nNoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t3\nCpus_allowed:\tff\n"
	got, err := parseSecurity([]byte(status))
	if want := (Security{known(2), known(3), known(true), known("00000000a80425fb")}); err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	got, err = parseSecurity([]byte("Name:\told\nSeccomp:\t0\n")) // before Linux 5.9
	if err != nil || got.SeccompFilters.Known() || !got.Seccomp.Known() || got.Seccomp.Value != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := parseSecurity([]byte("Seccomp:\ton\n")); err == nil {
		t.Error("a mode that is no number was parsed")
	}
}

func TestParseLimits(t *testing.T) {
	const table = "Limit                     Soft Limit           Hard Limit           Units     \n" +
		"Max cpu time              unlimited            unlimited            seconds   \n" +
		"Max open files            1024                 1048576              files     \n" +
		"Max nice priority         0                    0                    \n"
	got, err := parseLimits([]byte(table))
	want := []Limit{{"Max cpu time", "unlimited", "unlimited"}, {"Max open files", "1024", "1048576"}, {"Max nice priority", "0", "0"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	for _, bad := range []string{"", "Soft Limit Hard Limit\n", "Limit Soft Limit Hard Limit Units\nMax\n"} {
		if _, err := parseLimits([]byte(bad)); err == nil {
			t.Errorf("%q was parsed", bad)
		}
	}
}

func TestSplitZero(t *testing.T) {
	tests := []struct {
		data string
		want []string
	}{
		{"", nil},
		{"\x00\x00", nil}, // wiped by a title
		{"a\x00b c\x00\x00d\x00", []string{"a", "b c", "", "d"}},
		{"nginx: master process nginx -c x", []string{"nginx: master process nginx -c x"}},
	}
	for _, test := range tests {
		if got := splitZero([]byte(test.data)); !slices.Equal(got, test.want) {
			t.Errorf("%q is %q, want %q", test.data, got, test.want)
		}
	}
}

func TestSocketInode(t *testing.T) {
	for link, want := range map[string]uint64{"socket:[123]": 123, "socket:[]": 0, "pipe:[1]": 0, "socket:": 0, "/tmp/socket:[1]": 0} {
		if got, ok := socketInode(link); got != want || ok != (want != 0) {
			t.Errorf("%q: %d, %t", link, got, ok)
		}
	}
}

func TestEnvironment(t *testing.T) {
	host := []string{"PATH=/bin", "HOME=/root", "LANG=C", "LD_PRELOAD=/evil.so", "GOMAXPROCS=1", "TZ=UTC"}
	env, err := Environment{Host: host, Set: []string{"LANG=de_DE", "CACHE=off"}, Session: "s1", Seed: 7}.List()
	if err != nil {
		t.Fatal(err)
	}
	pad := env[len(env)-2]
	want := []string{"PATH=/bin", "HOME=/root", "TZ=UTC", "LANG=de_DE", "CACHE=off", pad, "SCALBENCH_SESSION=s1"}
	if !slices.Equal(env, want) || !strings.HasPrefix(pad, "SCALBENCH_PAD=") {
		t.Errorf("%q", env)
	}
	lengths := map[int]bool{}
	for seed := range uint64(20) {
		e := Environment{Session: "s", Seed: seed}
		first, second := e.pad(), e.pad()
		if first != second || len(first) > len("SCALBENCH_PAD=")+padMaxBytes {
			t.Errorf("seed %d: pads of %d and %d bytes", seed, len(first), len(second))
		}
		lengths[len(first)] = true
	}
	if len(lengths) < 15 { // of 4096: two equal ones among 20 come about once in 20 times
		t.Errorf("20 seeds gave %d lengths", len(lengths))
	}
	env, err = Environment{Host: host, User: "4242", Session: "s"}.List()
	if err != nil || !slices.Contains(env, "HOME=/") || !slices.Contains(env, "USER=4242") {
		t.Errorf("of a user without an entry: %q, %v", env, err)
	}
	_, err = Environment{Set: []string{"X", "A=1", "A=2", "SCALBENCH_PAD=1"}, User: "nobody-called-that"}.List()
	for _, part := range []string{`"X"`, "A is set twice", "SCALBENCH_PAD is set by", `session id ""`} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("got %v, want %q", err, part)
		}
	}
}

// Every field of a spec that is wrong is told at once, and a right one is right.
func TestSpecFaults(t *testing.T) {
	err := Spec{NofileMax: 1, Env: []string{"=x"}, Ports: []Port{{}}, Dir: "a\x00b"}.Validate()
	for _, want := range []string{"name:", "command:", "supervisor:", "stdout", "nofile: 1", `"=x"`, "port TCP", "zero byte"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if err := testSpec(t, roleStay).Validate(); err != nil {
		t.Error(err)
	}
}

// An order survives its way, bytes that are no UTF-8 too.
func TestOrder(t *testing.T) {
	spec := testSpec(t, "a\xffb", "")
	spec.Env, spec.CPUs, spec.Dir = []string{"LATIN=\xe4"}, cpus(t, "0-2"), "/tmp"
	sent, err := newOrder(spec)
	if err != nil {
		t.Fatal(err)
	}
	var line strings.Builder
	if err := writeLine(&line, sent); err != nil {
		t.Fatal(err)
	}
	got, err := readOrder(bufio.NewReader(strings.NewReader(line.String())))
	if err != nil || !reflect.DeepEqual(got, sent) {
		t.Errorf("%+v, %v, want %+v", got, err, sent)
	}
	if argv := toStrings(got.Argv); !slices.Equal(argv, spec.Command) {
		t.Errorf("arguments %q, want %q", argv, spec.Command)
	}
	for _, bad := range []string{"", "{", "{}", "x\n"} {
		if _, err := readOrder(bufio.NewReader(strings.NewReader(bad))); err == nil {
			t.Errorf("%q is no order", bad)
		}
	}
}

// One list for whoever asks: those that stay as a parent, and those that become another.
func TestIsWrapper(t *testing.T) {
	for exe, want := range map[string]bool{"sh": true, "/usr/bin/env": true, "numactl": true, "/usr/bin/strace": true, "nginx": false, "/opt/sh/server": false, "": false} {
		if IsWrapper(exe) != want {
			t.Errorf("%q: %t", exe, !want)
		}
	}
}
