package probe

import (
	"net"
	"strings"
	"testing"
	"time"
)

// A failure names the phase it came in and says in words what happened.
func TestFailuresToConnect(t *testing.T) {
	refusing, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refused := refusing.Addr().String()
	refusing.Close()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	deaf, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer deaf.Close()
	secure, h1only := serve(t, mode{"h2", HTTP2, true}), serve(t, mode{"h1s", HTTP1, true})
	quick := 50 * time.Millisecond
	tests := []struct {
		name    string
		config  Config
		phase   string
		message string // part of it
	}{
		{"refused", Config{URL: "http://" + refused}, "tcp", "connect " + refused + ": connection refused"},
		{"no such host", Config{URL: "http://nowhere.invalid/"}, "dns", `"nowhere.invalid"`},
		{"no such family", Config{URL: "http://127.0.0.1:1/", Family: 6}, "dns", `look up host "127.0.0.1": it has no IPv6 address`},
		{"TLS is not answered", Config{URL: "https://" + silent.Addr().String(), ConnectTimeout: quick}, "tls", ": no answer within 50 ms"},
		{"QUIC is not answered", Config{URL: "https://" + deaf.LocalAddr().String(), Protocol: HTTP3, ConnectTimeout: quick}, "quic", ": no answer within 50 ms"},
		{"unknown authority", Config{URL: secure.URL, Protocol: HTTP2}, "tls", "certificate signed by unknown authority"},
		{"another name", Config{URL: secure.URL, Protocol: HTTP2, TLS: TLS{CAs: secure.TLS.CAs, SNI: "other.test"}}, "tls", "other.test"},
		{"no h2", Config{URL: h1only.URL, Protocol: HTTP2, TLS: h1only.TLS}, "tls", "the server does not offer h2: it chose http/1.1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.config.Rate, tt.config.Count = 10, 1
			p := one(t, tt.config, "")
			if p.Outcome != ConnectFailed || p.failedIn() != tt.phase || !strings.Contains(p.Error, tt.message) {
				t.Errorf("%s in %q: %q, want connect_failed in %q: %q", p.Outcome, p.failedIn(), p.Error, tt.phase, tt.message)
			}
		})
	}
}

func TestFailuresToAnswer(t *testing.T) {
	tests := []struct {
		path    string
		outcome Outcome
		phase   string
		message string // its beginning
	}{
		{"/stall", Timeout, "first_byte", "no response "},
		{"/stall-in-body", Timeout, "last_byte", "incomplete response "},
		{"/abort", Reset, "first_byte", "the server "},
		{"/abort-in-body", ReadFailed, "last_byte", "the server "},
	}
	inEveryMode(t, func(t *testing.T, m mode, c Config) {
		c.KeepAlive = true // a connection with a failure is not kept
		for _, tt := range tests {
			if tt.outcome == Timeout {
				c.Timeout = 50 * time.Millisecond
			} else {
				c.Timeout = 10 * time.Second
			}
			p := one(t, c, tt.path)
			if m.protocol == HTTP3 && p.Outcome == Reset && tt.outcome == ReadFailed {
				continue // a reset may overtake the head that was sent before it (RFC 9000 section 3.2)
			}
			if p.Outcome != tt.outcome || p.failedIn() != tt.phase || !strings.HasPrefix(p.Error, tt.message) {
				t.Errorf("%s: %s in %q: %q, want %s in %q: %q", tt.path, p.Outcome, p.failedIn(), p.Error, tt.outcome, tt.phase, tt.message)
			}
		}
	})
}

// Servers that are no HTTP servers.
func TestRawAnswers(t *testing.T) {
	tests := []struct {
		answer  string
		outcome Outcome
		phase   string
	}{
		{"SSH-2.0-OpenSSH_9.2\r\n", ProtocolError, "last_byte"},
		{"", Reset, "first_byte"},
		{"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", ReadFailed, "last_byte"},
		{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!", ProtocolError, "last_byte"},
		{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", OK, ""},
	}
	for _, tt := range tests {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			conn.Read(make([]byte, 4096)) // or the close would be an RST
			conn.Write([]byte(tt.answer))
			conn.Close()
		}()
		p := one(t, Config{URL: "http://" + listener.Addr().String(), Rate: 10, Count: 1}, "/")
		listener.Close()
		<-ended
		if p.Outcome != tt.outcome || p.failedIn() != tt.phase {
			t.Errorf("%q: %s in %q: %q, want %s in %q", tt.answer, p.Outcome, p.failedIn(), p.Error, tt.outcome, tt.phase)
		}
	}
}
