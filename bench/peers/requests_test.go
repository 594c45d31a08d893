package main

import (
	"strings"
	"testing"
)

func TestDescribeRequests(t *testing.T) {
	as := func(peer, header string) recording {
		return recording{peer: peer, request: []byte("GET / HTTP/1.1\r\n" + header + "\r\n")}
	}
	got := describeRequests("request", []recording{
		as("a", "Host: h\r\nAccept: */*\r\n"),
		as("lower", "host: h\r\naccept: */*\r\n"),
		as("b", "Host: h\r\nAccept: */*\r\n"),
		as("order", "Accept: */*\r\nHost: h\r\n"),
		as("more", "host: h\r\nAccept: */*\r\nX: 1\r\n"),
		as("less", "Host: h\r\n"),
		as("value", "Host: h\r\nAccept: text/html\r\n"),
		{peer: "without HTTP/1.1"},
	})
	// 16 for the request line, 9 for Host, 13 or 19 for Accept, 6 for X, 2 at the end
	want := []string{
		`request of a, b: identical, 40 bytes: "GET / HTTP/1.1\r\nHost: h\r\nAccept: */*\r\n\r\n"`,
		"request of lower: DIFFERENT, 40 bytes: names in another case",
		"request of order: DIFFERENT, 40 bytes: the lines in another order",
		`request of more: DIFFERENT, 46 bytes: has "x: 1"; names in another case`,
		`request of less: DIFFERENT, 27 bytes: lacks "accept: */*"`,
		`request of value: DIFFERENT, 46 bytes: has "accept: text/html"; lacks "accept: */*"`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("lines:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestDescribeNoRequests(t *testing.T) {
	if got := describeRequests("request", []recording{{peer: "without HTTP/1.1"}}); got != nil {
		t.Errorf("lines %q of no request", got)
	}
}

func TestAsksToClose(t *testing.T) {
	for request, want := range map[string]bool{
		"GET / HTTP/1.1\r\nConnection: close\r\n\r\n":      true,
		"GET / HTTP/1.1\r\nconnection: close\r\n\r\n":      true,
		"GET / HTTP/1.1\r\nConnection: keep-alive\r\n\r\n": false,
		"GET /close HTTP/1.1\r\n\r\n":                      false,
	} {
		if got := asksToClose([]byte(request)); got != want {
			t.Errorf("asksToClose(%q) = %v", request, got)
		}
	}
}
