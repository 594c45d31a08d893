package target

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
)

// quicConfigOf is secureConfig with HTTP/3.
func quicConfigOf(t *testing.T) Config {
	t.Helper()
	cfg := secureConfig(t)
	cfg.HTTP3 = true
	return cfg
}

// quicClient speaks HTTP/3 and nothing else, until the test ends.
func quicClient(t *testing.T, cfg Config) *http.Client {
	t.Helper()
	transport := &http3.Transport{TLSClientConfig: trusting(t, cfg)}
	t.Cleanup(func() { transport.Close() })
	return &http.Client{Transport: transport}
}

// dialQUIC opens a connection of QUIC without HTTP/3's own streams on it. It is
// closed with the test.
func dialQUIC(t *testing.T, cfg Config, r *running) *quic.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	conn, err := quic.DialAddr(ctx, hostOf(t, r), trusting(t, cfg, http3.NextProtoH3), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.CloseWithError(0, "") })
	return conn
}

// openStream opens a stream and writes to it; it stays open.
func openStream(t *testing.T, conn *quic.Conn, text string) *quic.Stream {
	t.Helper()
	stream, err := conn.OpenStream()
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(stream, text); err != nil {
		t.Fatal(err)
	}
	return stream
}

// holdFault asks for a misbehaviour that takes its time, and returns when it has
// begun.
func holdFault(t *testing.T, cfg Config, r *running, kind string) {
	t.Helper()
	stream := openStream(t, dialQUIC(t, cfg, r), requestFrame("GET", "/fault/"+kind))
	if _, err := stream.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
}

// postWithoutEnd sends a part of a body, more than the server reads by itself.
func postWithoutEnd(t *testing.T, cfg Config, r *running) {
	t.Helper()
	body := frame(dataFrame, strings.Repeat("b", 1<<20))
	openStream(t, dialQUIC(t, cfg, r), requestFrame("POST", "/respond")+body)
}

// sendNoise sends what looks like nothing, and what looks like QUIC at first.
func sendNoise(t *testing.T, _ Config, r *running) {
	t.Helper()
	conn, err := net.Dial("udp", hostOf(t, r))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, datagram := range []string{"", "GET / HTTP/1.1\r\n\r\n", "\xc0\x00\x00\x00\x01" + strings.Repeat("x", 1200), strings.Repeat("\x40", 1200)} {
		if _, err := io.WriteString(conn, datagram); err != nil {
			t.Fatal(err)
		}
	}
}

// HTTP/3 is on the port of the same number, and the versions beside it say so,
// where it is there.
func TestAltSvc(t *testing.T) {
	for name, http3 := range map[string]bool{"with HTTP/3": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			cfg := secureConfig(t)
			cfg.HTTP3 = http3
			target := start(t, cfg)
			want := ""
			if http3 {
				_, port, _ := net.SplitHostPort(hostOf(t, target))
				want = `h3=":` + port + `"; ma=60`
			}
			for _, path := range []string{"/respond", "/static-1m", "/nothing"} {
				for _, http2 := range []bool{false, true} {
					resp, _ := getBy(t, secureClient(t, cfg, http2), "GET", target.url+path, nil)
					if got := resp.Header.Get("Alt-Svc"); got != want {
						t.Errorf("%s %s: Alt-Svc %q, want %q", resp.Proto, path, got, want)
					}
				}
			}
			if !http3 {
				// Nobody has the port, so that it can be had.
				conn, err := net.ListenPacket("udp", hostOf(t, target))
				if err != nil {
					t.Fatal(err)
				}
				conn.Close()
				return
			}
			resp, _ := getBy(t, quicClient(t, cfg), "GET", target.url+"/respond", nil)
			if got, told := resp.Header["Alt-Svc"]; told || resp.Proto != "HTTP/3.0" {
				t.Errorf("%s: Alt-Svc %q, want HTTP/3.0 without it", resp.Proto, got)
			}
		})
	}
}

// A large file comes as it is on disk, whatever its size: it is sent piece by piece.
func TestQUICTenMiB(t *testing.T) {
	cfg := quicConfigOf(t)
	cfg.Dir = t.TempDir()
	target := start(t, cfg)
	content := new(bytes.Buffer)
	if err := writeContent(content, 10<<20); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cfg.Dir, "static-1m"), content.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	resp, err := quicClient(t, cfg).Get(target.url + "/static-1m")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	hash := sha256.New()
	n, err := io.Copy(hash, resp.Body)
	if got, want := hex.EncodeToString(hash.Sum(nil)), hexSHA256(content.Bytes()); n != 10<<20 || err != nil || got != want || resp.ContentLength != n {
		t.Errorf("%d bytes of %d, %v, SHA-256 %s; want %d, %s", n, resp.ContentLength, err, got, 10<<20, want)
	}
}

// A request may come with the first packets of a connection, when its client has
// a ticket of an earlier one.
func TestEarlyData(t *testing.T) {
	cfg := quicConfigOf(t)
	target := start(t, cfg)
	trust := trusting(t, cfg)
	trust.ClientSessionCache = tls.NewLRUClientSessionCache(1)
	for _, early := range []bool{false, true} {
		var conn *quic.Conn
		transport := &http3.Transport{
			TLSClientConfig: trust,
			Dial: func(ctx context.Context, addr string, tlsCfg *tls.Config, cfg *quic.Config) (c *quic.Conn, err error) {
				conn, err = quic.DialAddrEarly(ctx, addr, tlsCfg, cfg)
				return conn, err
			},
		}
		resp, body := getBy(t, &http.Client{Transport: transport}, http3.MethodGet0RTT, target.url+"/respond", nil)
		if resp.StatusCode != 200 || string(body) != "ok" {
			t.Errorf("early %t: status %d, body %q", early, resp.StatusCode, body)
		}
		<-conn.HandshakeComplete()
		if got := conn.ConnectionState().Used0RTT; got != early {
			t.Errorf("0-RTT %t, want %t", got, early)
		}
		transport.Close()
	}
}

// As many streams at a time as with HTTP/2.
func TestQUICStreams(t *testing.T) {
	cfg := quicConfigOf(t)
	target := start(t, cfg)
	conn := dialQUIC(t, cfg, target)
	for range maxStreams {
		openStream(t, conn, "\x01")
	}
	if _, err := conn.OpenStream(); err == nil {
		t.Errorf("more than %d streams", maxStreams)
	}
}

// An UDP port that another program has is told, and the TCP port is given back.
func TestUDPPortTaken(t *testing.T) {
	taken := takenUDP(t)
	cfg := quicConfigOf(t)
	cfg.Listen = taken
	err := Run(t.Context(), cfg, nil, io.Discard)
	if want := "listen udp " + cfg.Listen; err == nil || !errors.Is(err, syscall.EADDRINUSE) || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q in it", err, want)
	}
	free, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		t.Fatalf("the TCP port is not free: %v", err)
	}
	free.Close()
}

// A socket that fails ends the server and is told.
func TestQUICSocketFails(t *testing.T) {
	cfg := quicConfigOf(t).withDefaults()
	faults := newFaultLog(new(lockedBuffer))
	made, err := makeFiles(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	on, err := listen(t.Context(), cfg, faults)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newServer(cfg, made, faults, startDelayer(t), on.udp)
	if err != nil {
		t.Fatal(errors.Join(err, on.close()))
	}
	on.udp.Close() // under the server
	go s.serveLoop(on.tcp)
	select {
	case <-s.served:
	case <-time.After(5 * time.Second):
		t.Fatal("it goes on without HTTP/3")
	}
	want := fmt.Sprintf("serve udp %s: ", on.tcp.Addr())
	if err := s.end(on.tcp); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q in it", err, want)
	}
}

// A field that belongs to a connection makes an answer of HTTP/3 malformed (RFC
// 9114, 4.2).
func TestOvertakenSaysNoConnection(t *testing.T) {
	s, err := newServer(secureConfig(t), files{}, newFaultLog(io.Discard), startDelayer(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	close(s.ending)
	for version, want := range map[int]string{1: "close", 2: "close", 3: ""} {
		r, err := http.NewRequest("GET", "https://h/delay/1s", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.ProtoMajor = version
		w := &discardingWriter{header: http.Header{}}
		s.handleSecure(w, r)
		if got := w.header.Get("Connection"); got != want || w.status != http.StatusServiceUnavailable {
			t.Errorf("HTTP/%d: status %d, Connection %q; want 503, %q", version, w.status, got, want)
		}
	}
}

// Whatever buffers a host allows, quic-go says nothing of them on stderr; but what
// the user has set stays.
func TestNoBufferWarning(t *testing.T) {
	var said bytes.Buffer
	log.SetOutput(&said)
	defer log.SetOutput(os.Stderr)
	for _, set := range []string{"", "false"} {
		t.Setenv(bufferWarningEnv, set)
		want := set
		if set == "" {
			os.Unsetenv(bufferWarningEnv) // Setenv before it restores it at the end
			want = "true"
		}
		target := start(t, quicConfigOf(t))
		if got := os.Getenv(bufferWarningEnv); got != want {
			t.Errorf("%s was %q: it is %q, want %q", bufferWarningEnv, set, got, want)
		}
		target.cancel()
		if err := target.wait(t); err != nil {
			t.Error(err)
		}
	}
}

// Connections that nobody has time for wait, more of them than quic-go keeps.
func TestQUICBacklog(t *testing.T) {
	const dialed = 48 // quic-go keeps 32
	cfg := quicConfigOf(t).withDefaults()
	on, err := listen(t.Context(), cfg, newFaultLog(io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	s, err := newServer(cfg, files{}, newFaultLog(io.Discard), startDelayer(t), on.udp)
	if err != nil {
		t.Fatal(errors.Join(err, on.close()))
	}
	listener := s.http.(*quicServer).listener // the server itself does not serve yet
	running := &running{url: "https://" + on.tcp.Addr().String()}
	for range dialed {
		dialQUIC(t, cfg, running)
	}
	for n := range dialed {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		conn, err := listener.Accept(ctx)
		cancel()
		if err != nil {
			t.Fatalf("connection %d: %v", n, err)
		}
		if err := context.Cause(conn.Context()); err != nil {
			t.Errorf("connection %d: %v", n, err)
		}
	}
	go s.serveLoop(on.tcp)
	if err := s.end(on.tcp); err != nil {
		t.Error(err)
	}
}

// takenUDP holds a UDP port until the test ends, whose number is free for TCP: that
// of another program's connection may be the same.
func takenUDP(t *testing.T) string {
	for range 20 {
		udp, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { udp.Close() })
		if tcp, err := net.Listen("tcp", udp.LocalAddr().String()); err == nil {
			tcp.Close()
			return udp.LocalAddr().String()
		}
	}
	t.Fatal("no port is free for TCP")
	return ""
}
