package target

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

// The end over TLS is that in cleartext: whatever clients are doing, Run returns
// soon and without an error, nothing is logged, and nothing is left. TestMain
// looks for goroutines and descriptors.
func TestSecureEnd(t *testing.T) {
	for name, busy := range map[string]func(*testing.T, Config, *running){
		"nobody": func(*testing.T, Config, *running) {},
		"idle": func(t *testing.T, cfg Config, r *running) {
			for _, client := range everySecureClient(t, cfg) {
				getBy(t, client, "GET", r.url+"/respond", nil)
			}
		},
		"silent before the handshake": func(t *testing.T, _ Config, r *running) { dial(t, hostOf(t, r)) },
		"silent after the handshake": func(t *testing.T, cfg Config, r *running) {
			for _, protocol := range []string{"h2", "http/1.1"} {
				handshake(t, cfg, r, protocol)
			}
		},
		"reading nothing": func(t *testing.T, cfg Config, r *running) {
			conn := handshake(t, cfg, r, "http/1.1")
			for range 64 { // 64 MiB do not fit into any socket's buffers
				io.WriteString(conn, "GET /static-1m HTTP/1.1\r\nHost: h\r\n\r\n")
			}
			if _, err := conn.Read(make([]byte, 1)); err != nil { // the server is in it
				t.Error(err)
			}
		},
		"reading nothing of a stream":               holdStream(true),
		"reading nothing of a stream with HTTP/3":   holdStream(false),
		"silent on a QUIC connection":               func(t *testing.T, cfg Config, r *running) { dialQUIC(t, cfg, r) },
		"silent within a head with HTTP/3":          func(t *testing.T, cfg Config, r *running) { openStream(t, dialQUIC(t, cfg, r), "\x01\x40") },
		"held with HTTP/3":                          func(t *testing.T, cfg Config, r *running) { holdFault(t, cfg, r, "stall-in-body") },
		"trickling with HTTP/3":                     func(t *testing.T, cfg Config, r *running) { holdFault(t, cfg, r, "slow?every=1s") },
		"sending a body without end with HTTP/3":    postWithoutEnd,
		"sending datagrams that are no QUIC at all": sendNoise,
	} {
		t.Run(name, func(t *testing.T) {
			cfg := quicConfigOf(t)
			dir := t.TempDir()
			t.Setenv("TMPDIR", dir)
			target := start(t, cfg)
			busy(t, cfg, target)

			began := time.Now()
			target.cancel()
			if err := target.wait(t); err != nil {
				t.Error(err)
			}
			// Far below the 5 s that TLS would wait to say goodbye to a client
			// that does not read.
			if took := time.Since(began); took > endGrace+cutOffPatience {
				t.Errorf("ended after %s", took)
			}
			if socket, err := net.ListenPacket("udp", hostOf(t, target)); err != nil {
				t.Errorf("the UDP port is not free: %v", err)
			} else {
				socket.Close()
			}
			if log := target.log.String(); log != "" {
				t.Errorf("logged %q", log)
			}
			if left, _ := os.ReadDir(dir); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// holdStream asks for the large file and reads nothing of it.
func holdStream(http2 bool) func(*testing.T, Config, *running) {
	return func(t *testing.T, cfg Config, r *running) {
		client := quicClient(t, cfg)
		if http2 {
			client = secureClient(t, cfg, true)
		}
		resp, err := client.Get(r.url + "/static-1m")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
	}
}

// A held request learns of the end; it is not answered as if its time were up.
func TestSecureEndWhileHeld(t *testing.T) {
	for _, name := range []string{"HTTP/1.1", "HTTP/2.0", "HTTP/3.0"} {
		t.Run(name, func(t *testing.T) {
			cfg := quicConfigOf(t)
			target := start(t, cfg)
			client := everySecureClient(t, cfg)[name]
			status := make(chan int, 1)
			go func() {
				resp, err := client.Get(target.url + "/delay/60s")
				if err != nil {
					status <- 0 // cut off before its head was read
					return
				}
				resp.Body.Close()
				status <- resp.StatusCode
			}()
			// Another request that is answered tells nothing about the held one,
			// so both outcomes are right; 200 is not.
			getBy(t, client, "GET", target.url+"/ok", nil)
			target.cancel()
			if err := target.wait(t); err != nil {
				t.Error(err)
			}
			if got := <-status; got != http.StatusServiceUnavailable && got != 0 {
				t.Errorf("status %d, want 503 or none", got)
			}
		})
	}
}

// Clients that go away in the middle, speak no TLS, or know another CA are no
// fault: nothing is logged, and others are served.
func TestSecureClientsAreNoFault(t *testing.T) {
	cfg := secureConfig(t)
	target := start(t, cfg)

	plain := dial(t, hostOf(t, target))
	io.WriteString(plain, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	if got, err := io.ReadAll(plain); err != nil || !strings.HasPrefix(string(got), "HTTP/1.0 400 ") {
		t.Errorf("cleartext on the port of TLS: %q, %v, want 400", got, err)
	}
	stranger := tls.Client(dial(t, hostOf(t, target)), &tls.Config{ServerName: "127.0.0.1"})
	if err := stranger.Handshake(); err == nil {
		t.Error("the run's own CA is known to the system")
	}
	for _, request := range []string{"", "GET /stat", "GET /static-1m HTTP/1.1\r\nHost: x\r\n\r\n", "POST /respond HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf"} {
		conn := handshake(t, cfg, target, "http/1.1")
		io.WriteString(conn, request)
		if strings.HasPrefix(request, "GET /static-1m") {
			if _, err := conn.Read(make([]byte, 16)); err != nil { // the server is in it
				t.Fatal(err)
			}
		}
		conn.NetConn().Close() // with bytes unread that is RST
	}
	if resp, _ := getBy(t, secureClient(t, cfg, true), "GET", target.url+"/ok", nil); resp.StatusCode != 200 {
		t.Errorf("status %d", resp.StatusCode)
	}
	target.cancel()
	if err := target.wait(t); err != nil {
		t.Error(err)
	}
	if log := target.log.String(); log != "" {
		t.Errorf("logged %q", log)
	}
}

// A static file that is gone or cut short is a fault of the server, over TLS too.
func TestSecureFileFaults(t *testing.T) {
	cfg := quicConfigOf(t)
	cfg.Dir = t.TempDir()
	target := start(t, cfg)
	for name, client := range everySecureClient(t, cfg) {
		for _, file := range []string{"static-small", "static-1m"} {
			path := cfg.Dir + "/" + file
			kept := path + ".kept"
			if err := os.Rename(path, kept); err != nil {
				t.Fatal(err)
			}
			resp, body := getBy(t, client, "GET", target.url+"/"+file, nil)
			want := "open " + path + ": no such file"
			if resp.StatusCode != 500 || !strings.Contains(string(body), want) || !strings.Contains(target.log.String(), want) {
				t.Errorf("%s: status %d, body %q, log %q; want 500 and %q in both", name, resp.StatusCode, body, target.log, want)
			}
			if err := os.Rename(kept, path); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A mistake of this package is logged, though net/http recovers from it.
func TestPanicsAreLogged(t *testing.T) {
	log := new(lockedBuffer)
	w := panicLog{newFaultLog(log)}
	for _, line := range []string{
		"http: TLS handshake error from 127.0.0.1:1: EOF\n",
		"http: panic serving 127.0.0.1:1: oh\ngoroutine 1\n",
		"http2: panic serving 127.0.0.1:1: oh\ngoroutine 1\n",
	} {
		if n, err := w.Write([]byte(line)); n != len(line) || err != nil {
			t.Errorf("wrote %d, %v of %d bytes", n, err, len(line))
		}
	}
	want := "target: http: panic serving 127.0.0.1:1: oh\ngoroutine 1\ntarget: http2: panic serving 127.0.0.1:1: oh\ngoroutine 1\n"
	if got := log.String(); got != want {
		t.Errorf("log %q, want %q", got, want)
	}
}

func hostOf(t *testing.T, r *running) string {
	t.Helper()
	u, err := url.Parse(r.url)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// handshake opens a connection over TLS that is closed with the test.
func handshake(t *testing.T, cfg Config, r *running, protocol string) *tls.Conn {
	t.Helper()
	conn := tls.Client(dial(t, hostOf(t, r)), trusting(t, cfg, protocol))
	if err := conn.Handshake(); err != nil {
		t.Fatal(err)
	}
	return conn
}
