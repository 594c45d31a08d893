package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPlan(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "scalbench")
	if err := os.WriteFile(binary, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	p, err := parsePlan([]string{"-scalbench", binary, "-peers", "scalbench", "-servers", "target", "-courses", "churn,respond", "-rounds", "4"}, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.peers) != 1 || len(p.servers) != 1 || p.load.connections != 64 || p.load.cpu != 1 || !p.hasChurn() {
		t.Errorf("plan = %+v", p)
	}
	courses := p.coursesOn(p.servers[0], clearTCP)
	if got := names(courses); got != "churn,respond" {
		t.Errorf("courses %s, want those asked for", got)
	}
	// 3 is the default of -churn-rounds.
	if churn, other := p.roundsOf(courses[0]), p.roundsOf(courses[1]); churn != 3 || other != 4 {
		t.Errorf("rounds %d of churn and %d of others, want 3 and 4", churn, other)
	}

	for _, tt := range []struct{ args, want string }{
		{"-peers nope", `no peer "nope": there are scalbench,wrk,h2load,bombardier,oha,h1load,quicgo`},
		{"-servers sink,sink", `server "sink" is named twice`},
		{"-courses nope", `no course "nope": there are respond,static-small,static-1m,churn,tls-h2,tls-h2-10,tls-h2-respond,tls-h1,tls-h3,tls-h3-10,h3-static-small`},
		{"-rounds 0", "-rounds 0: want at least 1"},
		{"-churn-rounds 0", "-churn-rounds 0: want at least 1"},
		{"-server-cpu 1", "-server-cpu and -peer-cpu are both 1"},
		{"-servers sink -courses static-small", "course static-small is on none of the servers, only on nginx, target"},
		{"extra", `unexpected argument "extra"`},
		{"-peers scalbench -scalbench ./absent", "scalbench is absent: go build -o ./absent ./cmd/scalbench"},
	} {
		if _, err := parsePlan(strings.Fields(tt.args), os.Stderr); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.args, err, tt.want)
		}
	}
}

// Of no course named, a server has all of its own.
func TestPlanDefaultCourses(t *testing.T) {
	const overTCP = "respond,static-small,static-1m,churn,tls-h2,tls-h2-10,tls-h2-respond,tls-h1"
	const overQUIC = "tls-h3,tls-h3-10,h3-static-small"
	for list, want := range map[string]string{
		"sink": "respond", "nginx": overTCP, "caddy": overQUIC, "sink,target": overTCP + "," + overQUIC,
	} {
		p, err := parsePlan([]string{"-install", "-servers", list}, os.Stderr)
		if err != nil || names(p.courses) != want {
			t.Errorf("servers %s: courses %s, %v, want %s", list, names(p.courses), err, want)
		}
	}
}

func TestCourseLoad(t *testing.T) {
	for seconds, want := range map[int]load{
		1: {seconds: 1, churn: true, churnRequests: 15_000},
		5: {seconds: 2, churn: true, churnRequests: 30_000}, // no more than churnSeconds
	} {
		if got := (course{churn: true}).loadOf(load{seconds: seconds}); got != want {
			t.Errorf("churn of %d s = %+v, want %+v", seconds, got, want)
		}
	}
	got := (course{protocol: h2TLS, streams: 10}).loadOf(load{seconds: 5, connections: 64})
	if want := (load{seconds: 5, connections: 64, protocol: h2TLS, streams: 10}); got != want {
		t.Errorf("h2 = %+v, want %+v", got, want)
	}
	if got := (course{}).loadOf(load{seconds: 5}); got != (load{seconds: 5}) {
		t.Errorf("keep-alive = %+v", got)
	}
}

// A server is started once for the courses of each transport; every protocol over
// TLS and QUIC is probed once.
func TestCoursesOfTransports(t *testing.T) {
	for _, tt := range []struct{ courses, clear, tls, quic, toProbe string }{
		{"respond,static-small", "respond,static-small", "", "", "[] []"},
		{"tls-h2-10,respond,tls-h2,tls-h1", "respond", "tls-h2-10,tls-h2,tls-h1", "", "[h2 over TLS h1 over TLS] []"},
		{"tls-h3-10,tls-h1,tls-h3", "", "tls-h1", "tls-h3-10,tls-h3", "[h1 over TLS] [h3 over QUIC]"},
	} {
		p, err := parsePlan([]string{"-install", "-courses", tt.courses}, os.Stderr)
		if err != nil {
			t.Fatal(err)
		}
		on := func(over transport) string { return names(p.coursesOn(target{}, over)) }
		toProbe := fmt.Sprint(p.protocolsOver(tlsTCP), " ", p.protocolsOver(quicUDP))
		if on(clearTCP) != tt.clear || on(tlsTCP) != tt.tls || on(quicUDP) != tt.quic || toProbe != tt.toProbe {
			t.Errorf("%s: %s in clear text, %s over TLS, %s over QUIC, to probe %s, want %+v",
				tt.courses, on(clearTCP), on(tlsTCP), on(quicUDP), toProbe, tt)
		}
	}
}

func TestCourseString(t *testing.T) {
	for name, want := range map[string]string{
		"respond":   "/respond, h1",
		"churn":     "/respond, h1, a connection for every request",
		"tls-h1":    "/static-small, h1 over TLS",
		"tls-h2":    "/static-small, h2 over TLS, 1 stream a connection",
		"tls-h2-10": "/static-small, h2 over TLS, 10 streams a connection",
		"tls-h3":    "/respond, h3 over QUIC, 1 stream a connection",
	} {
		chosen, err := choose("course", allCourses(), name)
		if err != nil || chosen[0].String() != want {
			t.Errorf("%s: %v, %v, want %q", name, chosen, err, want)
		}
	}
}

// What is a peer and a server is installed once.
func TestInstallables(t *testing.T) {
	p := plan{
		peers:   []peer{scalbench{path: "./s"}, wrk{path: "wrk"}},
		servers: []server{nginx{}, target{path: "./s"}, caddy{path: "/c/bin/caddy"}},
	}
	if got, want := names(p.installables()), "scalbench,wrk,nginx,caddy"; got != want {
		t.Errorf("to install: %s, want %s", got, want)
	}
}
