package loadgen_test

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/loadgen"
)

// One request is asked as the load asks, on every protocol, and the answer told as it is.
func TestAsk(t *testing.T) {
	handler := func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "PUT" || r.Host != "other" || r.Header.Get("X") != "1" || r.UserAgent() == "Go-http-client/1.1" {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		w.Write([]byte("abc"))
	}
	url, ca := secureServer(t, handler, "h2", "http/1.1")
	h3 := serveHTTP3(t, "127.0.0.1:0", nil, handler)
	// SHA-256 of "abc" is the first example of FIPS 180-2, appendix B.
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	for name, tt := range map[string]struct {
		url      string
		ca       []byte
		protocol loadgen.Protocol
	}{
		"HTTP/1.1": {url, ca, loadgen.HTTP1},
		"HTTP/2":   {url, ca, loadgen.HTTP2},
		"HTTP/3":   {"https://" + h3.address.String() + "/x", h3.ca, loadgen.HTTP3},
	} {
		t.Run(name, func(t *testing.T) {
			p := plan(tt.url, 1)
			p.Protocol, p.TLS.CAs = tt.protocol, tt.ca
			target := &p.Targets[0]
			target.Method, target.Host, target.Header, target.Body = "PUT", "other", []loadgen.Field{{Name: "X", Value: "1"}}, []byte("body")
			want := loadgen.Answer{Status: 200, Bytes: 3, SHA256: abc, OK: true}
			if got, err := loadgen.Ask(t.Context(), p, 0); err != nil || got != want {
				t.Errorf("got %+v, %v", got, err)
			}
			target.ExpectBytes = 4
			want.OK = false
			if got, err := loadgen.Ask(t.Context(), p, 0); err != nil || got != want {
				t.Errorf("another length: got %+v, %v", got, err)
			}
			target.ExpectBytes, target.ExpectSHA256 = 3, strings.Repeat("0", 64)
			if got, err := loadgen.Ask(t.Context(), p, 0); err != nil || got != want {
				t.Errorf("another content: got %+v, %v", got, err)
			}
			target.ExpectBytes, target.ExpectSHA256, target.Method = 0, "", "GET"
			got, err := loadgen.Ask(t.Context(), p, 0)
			if err != nil || got.Status != 418 || got.OK {
				t.Errorf("another status: got %+v, %v", got, err)
			}
		})
	}
	// A Host among the fields is the host that is asked for, as the generator has it.
	named := plan(url, 1)
	named.TLS.CAs = ca
	named.Targets[0].Method, named.Targets[0].Header = "PUT", []loadgen.Field{{Name: "host", Value: "other"}, {Name: "X", Value: "1"}}
	if got, err := loadgen.Ask(t.Context(), named, 0); err != nil || got.SHA256 != abc {
		t.Errorf("a Host among the fields: %+v, %v", got, err)
	}
	// The server is asked with prior knowledge where there is no TLS.
	s := serveH2(t, nil, func(p *h2peer, stream uint32, _ int64) bool { return p.answer(stream) })
	if got, err := loadgen.Ask(t.Context(), h2plan(s.url, 1, 1), 0); err != nil || got.Bytes != 2 || !got.OK {
		t.Errorf("HTTP/2 in cleartext: %+v, %v", got, err)
	}
	p := plan("http://127.0.0.1:1/", 1)
	if _, err := loadgen.Ask(t.Context(), p, 0); !errors.Is(err, loadgen.ErrUnreachable) || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Errorf("nobody: %v", err)
	}
}

// A server that takes a connection and says nothing of TLS is given up after the connect
// timeout, not after that of the request as well.
func TestAskSilentServer(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // the kernel takes connections for it
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	p := plan("https://"+silent.Addr().String()+"/", 1)
	p.ConnectTimeout, p.Timeout = 50*time.Millisecond, 5*time.Second
	if _, err := loadgen.Ask(t.Context(), p, 0); !errors.Is(err, loadgen.ErrUnreachable) || !strings.Contains(err.Error(), "TLS handshake timeout") {
		t.Errorf("%v", err)
	}
}
