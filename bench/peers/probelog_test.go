package main

import (
	"fmt"
	"strings"
	"testing"
)

// sight reads a log and sums it up.
func sight(log []byte) (sighting, error) {
	lines, err := parseProbeLog(log)
	if err != nil {
		return sighting{}, err
	}
	return sumUp(lines)
}

// The fixtures are what nginx logged in runs of a second: 8 connections of
// h2load, and what bombardier made of the 8 that it was asked for.
func TestParseProbeLog(t *testing.T) {
	h2load, err := sight(readFixture(t, "probe-h2load.log"))
	if err != nil {
		t.Fatal(err)
	}
	const same = "TLSv1.3 TLS_AES_128_GCM_SHA256, header block of "
	const fields = "host: 127.0.0.1:18443, user-agent: peers, accept: */*"
	// 33 bytes: 1 each for method and scheme; path 2 + 5, authority 2 + 11,
	// user-agent 2 + 4 and accept 2 + 3 with their text in Huffman code. Then 7 for
	// the path, which it keeps out of the table, and 1 for each of the 5 others.
	if got, want := h2load.String(), "8 connections, "+same+"33 bytes, then 12: "+fields; got != want {
		t.Errorf("h2load: %s, want %s", got, want)
	}
	bombardier, err := sight(readFixture(t, "probe-bombardier.log"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := bombardier.String(), "1 connection, "+same+"38 bytes, then 7: "+fields+", accept-encoding: gzip"; got != want {
		t.Errorf("bombardier: %s, want %s", got, want)
	}
	for _, tt := range []struct {
		seen     sighting
		protocol protocol
		want     string // of the error; "" for none
	}{
		{h2load, h2TLS, ""},
		{h2load, h1TLS, "it spoke HTTP/2.0"},
		{bombardier, h2TLS, "it opened 1 connection, not 8"},
	} {
		err := tt.seen.suits(load{protocol: tt.protocol, connections: 8})
		if got := fmt.Sprint(err); err == nil && tt.want != "" || err != nil && got != tt.want {
			t.Errorf("suits %s: %v, want %q", tt.protocol, err, tt.want)
		}
	}
}

func TestSighting(t *testing.T) {
	line := func(request int, resumed string, bytes int, field string) string {
		return fmt.Sprintf(`{"request":%d,"http":"HTTP/1.1","tls":"TLSv1.3","cipher":"C","resumed":%q,"bytes":%d,"fields":["host: h",%q]}`+"\n",
			request, resumed, bytes, field)
	}
	for _, tt := range []struct{ log, want string }{
		{line(1, ".", 78, "accept: "), "1 connection, TLSv1.3 C, request of 78 bytes: host: h"},
		// The second request of one connection before the first of another.
		{
			line(1, ".", 78, "accept: x") + line(2, ".", 78, "accept: x") + line(1, "r", 78, "accept: x"),
			"2 connections (1 resumed a session), TLSv1.3 C, request of 78 bytes: host: h, accept: x",
		},
		{line(2, ".", 70, "accept: ") + line(1, ".", 78, "accept: "), "1 connection, TLSv1.3 C, request of 78 bytes, then 70: host: h"},
		{line(1, ".", 78, "accept: x") + line(1, ".", 78, "accept: y"), "error: its connections differ: 1 connection, TLSv1.3 C, request of 78 bytes: host: h, accept: x, and"},
		{"", "error: no request arrived"},
		// Of a server that cannot tell the bytes.
		{line(1, ".", 0, "accept: x"), "1 connection, TLSv1.3 C: host: h, accept: x"},
		{line(2, ".", 78, "accept: x"), "error: no request arrived"},
		{"{\n", `error: read line "{" of nginx's log`},
	} {
		seen, err := sight([]byte(tt.log))
		got := seen.String()
		if err != nil {
			got = "error: " + err.Error()
		}
		if err == nil && got != tt.want || err != nil && !strings.HasPrefix(got, tt.want) {
			t.Errorf("log\n%sis %s, want %s", tt.log, got, tt.want)
		}
	}
}
