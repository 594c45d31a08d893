package main

import (
	"fmt"
	"slices"
)

// course is what is asked of a server.
type course struct {
	label string // the word on the command line and in the tables
	path  string
	// protocol that it is in; the zero value is HTTP/1.1 in clear text.
	protocol protocol
	// streams at a time on a connection; 0 on HTTP/1.1, which has none.
	streams int
	// churn: a connection for every request. The client says "Connection:
	// close" and the server closes.
	churn bool
	// servers that it is measured on.
	servers []string
	// agree are those of them that are the limit, with 64 connections and one
	// CPU each: there all peers must find the same rate.
	agree []string
}

// churnSeconds is the length of a churn run at most. A client that closes first
// (wrk) takes a port of its own for every request, and there are 28 232 of them
// by default: a longer run would mostly come back to ports that its own
// beginning left in TIME_WAIT.
const churnSeconds = 2

// allCourses lists the courses there can be.
//
// The sink keeps every connection and has no files, so it has one course. It
// and nginx's respond are too cheap for the agreement: there most peers are the
// limit. Over TLS and QUIC a peer encrypts as much as the server does, and is the
// limit as often. HTTP/3 is measured on Caddy in place of nginx, which in Debian 12
// (1.22) has none.
func allCourses() []course {
	return []course{
		{label: "respond", path: "/respond", servers: []string{"sink", "nginx", "target"}, agree: []string{"target"}},
		{label: "static-small", path: "/static-small", servers: []string{"nginx", "target"}, agree: []string{"nginx"}},
		{label: "static-1m", path: "/static-1m", servers: []string{"nginx", "target"}},
		{label: "churn", path: "/respond", churn: true, servers: []string{"nginx", "target"}},
		{label: "tls-h2", path: "/static-small", protocol: h2TLS, streams: 1, servers: []string{"nginx", "target"}},
		{label: "tls-h2-10", path: "/static-small", protocol: h2TLS, streams: 10, servers: []string{"nginx", "target"}},
		{label: "tls-h2-respond", path: "/respond", protocol: h2TLS, streams: 1, servers: []string{"nginx", "target"}},
		{label: "tls-h1", path: "/static-small", protocol: h1TLS, servers: []string{"nginx", "target"}},
		{label: "tls-h3", path: "/respond", protocol: h3QUIC, streams: 1, servers: []string{"caddy", "target"}},
		{label: "tls-h3-10", path: "/respond", protocol: h3QUIC, streams: 10, servers: []string{"caddy", "target"}},
		{label: "h3-static-small", path: "/static-small", protocol: h3QUIC, streams: 1, servers: []string{"caddy", "target"}},
	}
}

func (c course) name() string { return c.label }

// on tells whether the course is measured on the server.
func (c course) on(s server) bool { return slices.Contains(c.servers, s.name()) }

// agreesOn tells whether the peers must find the same rate on the server.
func (c course) agreesOn(server string) bool { return slices.Contains(c.agree, server) }

// String says what is asked: "/respond, h2 over TLS, 10 streams a connection".
func (c course) String() string {
	text := c.path + ", " + c.protocol.String()
	switch {
	case c.streams == 1:
		text += ", 1 stream a connection"
	case c.streams > 1:
		text += fmt.Sprintf(", %d streams a connection", c.streams)
	case c.churn:
		text += ", a connection for every request"
	}
	return text
}

// loadOf is the load of the course: that of the plan in the course's protocol,
// shortened for churn.
func (c course) loadOf(l load) load {
	l.protocol, l.streams = c.protocol, c.streams
	if c.churn {
		l.churn = true
		l.seconds = min(l.seconds, churnSeconds)
		l.churnRequests = churnRequestsPerSecond * l.seconds
	}
	return l
}
