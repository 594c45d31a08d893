package transport

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/big"
	"net"
	"os"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/leaktest"
	"github.com/scalws/scalbench/internal/mono"
)

func TestMain(m *testing.M) { os.Exit(leaktest.Main(m)) }

// link is a Conn with a server of crypto/tls behind a pipe; the test is the
// worker between the two.
type link struct {
	*testing.T
	conn       *Conn
	handshakes *Handshakes
	woken      chan struct{}
	pipe       net.Conn
	server     *tls.Conn
}

func newLink(t *testing.T, client, server *tls.Config) *link {
	t.Helper()
	clock, err := mono.NewClock()
	if err != nil {
		t.Fatal(err)
	}
	l := &link{T: t, woken: make(chan struct{}, 100)}
	ours, theirs := net.Pipe()
	t.Cleanup(func() { ours.Close(); theirs.Close() })
	l.pipe, l.server = ours, tls.Server(theirs, server)
	l.handshakes = NewHandshakes(func() { l.woken <- struct{}{} })
	l.conn = New(7, client, clock, l.handshakes)
	t.Cleanup(func() {
		l.conn.Abandon(io.EOF)
		l.handshakes.Wait()
	})
	return l
}

// handshake plays the worker until the handshake has ended.
func (l *link) handshake() error {
	l.Helper()
	for {
		select {
		case <-l.woken:
		case <-time.After(5 * time.Second):
			l.Fatal("the handshake does not go on")
		}
		for _, c := range l.handshakes.Changed() {
			if c != l.conn || c.Slot != 7 {
				l.Fatalf("told of %+v", c)
			}
			ended, _, err := c.Handshake()
			l.send()
			if ended {
				return err
			}
			l.receive()
		}
	}
}

func (l *link) send() {
	if b := l.conn.Take(); len(b) > 0 {
		if _, err := l.pipe.Write(b); err != nil {
			l.Error(err)
		}
	}
}

// receive passes on what one read of the pipe brings; false: there is nothing.
func (l *link) receive() (ok bool) {
	b := make([]byte, 64<<10)
	l.pipe.SetReadDeadline(time.Now().Add(5 * time.Second))
	n, err := l.pipe.Read(b)
	if n > 0 {
		l.conn.Arrived(b[:n])
	}
	return err == nil
}

// read reads n plain bytes, or until something else than ErrAgain.
func (l *link) read(n int) (got []byte, err error) {
	scratch := make([]byte, RecordMax)
	for {
		plain, err := l.conn.Next(scratch)
		got = append(got, plain...)
		if err != nil && err != ErrAgain || len(got) >= n {
			return got, err
		}
		if err == ErrAgain && !l.receive() {
			return got, io.ErrNoProgress
		}
	}
}

// certificate is one for localhost that is its own authority.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"localhost"}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

// Both record layers carry what the other end writes and reads, in one record
// and in many, and tell its close_notify.
func TestConn(t *testing.T) {
	cert, pool := certificate(t)
	message := bytes.Repeat([]byte("0123456789"), 10_000)
	for _, tt := range []struct {
		name    string
		version uint16
		cache   tls.ClientSessionCache
		own     bool
	}{
		{"TLS 1.3", tls.VersionTLS13, nil, true},
		{"TLS 1.3, resuming", tls.VersionTLS13, tls.NewLRUClientSessionCache(1), false},
		{"TLS 1.2", tls.VersionTLS12, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLink(t,
				&tls.Config{RootCAs: pool, ServerName: "localhost", MaxVersion: tt.version, ClientSessionCache: tt.cache, DynamicRecordSizingDisabled: true, NextProtos: []string{"h2"}},
				&tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2"}})
			echoed := make(chan error, 1)
			go func() { // answers with what it gets, twice, and says goodbye
				got := make([]byte, len(message))
				_, err := io.ReadFull(l.server, got)
				for range 2 {
					_, werr := l.server.Write(got)
					err = errors.Join(err, werr)
				}
				echoed <- errors.Join(err, l.server.CloseWrite())
			}()
			if err := l.handshake(); err != nil {
				t.Fatal(err)
			}
			if got := l.conn.State(); got.Version != tt.version || got.NegotiatedProtocol != "h2" {
				t.Fatalf("agreed on %s, %q", tls.VersionName(got.Version), got.NegotiatedProtocol)
			}
			if own := l.conn.records != nil; own != tt.own || l.conn.wire.shared {
				t.Fatalf("own records %v, want %v", own, tt.own)
			}
			if err := l.conn.Write(message); err != nil {
				t.Fatal(err)
			}
			go l.send() // a pipe has no room: the other end must read meanwhile
			got, err := l.read(2 * len(message))
			if !bytes.Equal(got, append(bytes.Clone(message), message...)) {
				t.Fatalf("%d bytes came back, %v", len(got), err)
			}
			if _, err := l.read(1); err != io.EOF {
				t.Errorf("after close_notify: %v", err)
			}
			if err := <-echoed; err != nil {
				t.Error(err)
			}
		})
	}
}

// A handshake that fails says why, on both sides of the connection.
func TestHandshakeFails(t *testing.T) {
	cert, _ := certificate(t)
	server := &tls.Config{Certificates: []tls.Certificate{cert}}
	t.Run("unknown authority", func(t *testing.T) {
		l := newLink(t, &tls.Config{ServerName: "localhost", RootCAs: x509.NewCertPool()}, server)
		refused := make(chan error, 1)
		go func() { refused <- l.server.Handshake() }()
		var untrusted *tls.CertificateVerificationError
		if err := l.handshake(); !errors.As(err, &untrusted) {
			t.Errorf("got %v", err)
		}
		if err := <-refused; err == nil {
			t.Error("the server was not told")
		}
	})
	t.Run("cut", func(t *testing.T) {
		l := newLink(t, &tls.Config{ServerName: "localhost"}, server)
		<-l.woken
		l.conn.Abandon(io.EOF)
		for ended := false; !ended; {
			<-l.woken
			var err error
			if ended, _, err = l.conn.Handshake(); ended && !errors.Is(err, io.EOF) {
				t.Errorf("got %v", err)
			}
		}
	})
	t.Run("no TLS", func(t *testing.T) {
		l := newLink(t, &tls.Config{ServerName: "localhost"}, server)
		<-l.woken
		l.conn.Arrived([]byte("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"))
		l.conn.Abandon(io.EOF)
		var header tls.RecordHeaderError
		for ended := false; !ended; {
			<-l.woken
			var err error
			if ended, _, err = l.conn.Handshake(); ended && (!errors.As(err, &header) || string(header.RecordHeader[:]) != "HTTP/") {
				t.Errorf("got %v", err)
			}
		}
	})
}

// Encrypting, taking, and reading one record a turn costs no allocation.
func TestNoAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	client, server := pair(t, tls.TLS_AES_128_GCM_SHA256)
	c := &Conn{records: client}
	request, response := make([]byte, 100), make([]byte, 1200)
	var wire []byte
	turn := func() {
		if err := c.Write(request); err != nil {
			t.Fatal(err)
		}
		if len(c.Take()) != 100+22 { // header 5, type 1, tag 16
			t.Fatal("not one record")
		}
		wire = server.send.seal(wire[:0], recordApplication, response)
		c.Arrived(wire)
		if plain, err := c.Next(nil); len(plain) != len(response) || err != nil {
			t.Fatal(len(plain), err)
		}
		if _, err := c.Next(nil); err != ErrAgain {
			t.Fatal(err)
		}
	}
	turn()
	turn() // both buffers have grown
	if n := testing.AllocsPerRun(1000, turn); n != 0 {
		t.Errorf("%v allocations a turn", n)
	}
}
