package target

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// What goes over the wire, byte for byte.
func TestMisbehaviourOnTheWire(t *testing.T) {
	server := start(t, Config{})
	tested := map[string]bool{}
	for _, test := range []struct {
		kind string
		want string
		end  error // io.EOF: FIN; nil: none, the connection is held
	}{
		{"close-before", "", io.EOF},
		{"close-in-head", "HTTP/1.1 200 OK\r\nContent-Le", io.EOF},
		{"close-in-body", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nhalf ", io.EOF},
		{"close-after", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", io.EOF},
		{"rst-before", "", syscall.ECONNRESET},
		{"rst-in-body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf ", syscall.ECONNRESET},
		{"stall-before", "", nil},
		{"stall-in-head", "HTTP/1.1 200 OK\r\nContent-Le", nil},
		{"stall-in-body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf ", nil},
		{"short-body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf ", io.EOF},
		{"long-body", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more", io.EOF},
		{"two-lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!", io.EOF},
		{"length-and-chunked", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", io.EOF},
		{"bad-chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nxyz\r\n", io.EOF},
		{"extra-bytes", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", io.EOF},
		{"slow", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok", io.EOF},
		{"garbage", "\x15\x03\x01\x00\x02\x02\x28", io.EOF},
		{"huge-head", "HTTP/1.1 200 OK\r\n" + strings.Repeat("X-Padding: "+strings.Repeat("x", 1011)+"\r\n", 65) + "Content-Length: 2\r\n\r\nok", io.EOF},
		{"http10-close", "HTTP/1.0 200 OK\r\n\r\nok", io.EOF},
	} {
		tested[test.kind] = true
		t.Run(test.kind, func(t *testing.T) {
			t.Parallel()
			conn := dial(t, strings.TrimPrefix(server.url, "http://"))
			fmt.Fprintf(conn, "GET /fault/%s HTTP/1.1\r\nHost: x\r\n\r\n", test.kind)
			got, end := readAsExpected(t, conn, len(test.want), test.end == nil)
			if got != test.want || !errors.Is(end, test.end) {
				t.Errorf("got %q, end %v\nwant %q, end %v", got, end, test.want, test.end)
			}
		})
	}
	for _, kind := range misbehaviours {
		if !tested[kind.name] {
			t.Errorf("%s is not in the table", kind.name)
		}
	}
}

// holdLook is how long a held connection is looked at. What must not come
// cannot be waited for; a byte or FIN that follows at once is far quicker.
const holdLook = 20 * time.Millisecond

// readAsExpected reads so many bytes, and then whatever else comes until the
// connection ends. A held one must stay open and silent while it is looked at,
// and end when the client has closed: then the end is nil.
func readAsExpected(t *testing.T, conn *net.TCPConn, expected int, held bool) (got string, end error) {
	t.Helper()
	buf := make([]byte, expected)
	if n, err := io.ReadFull(conn, buf); err != nil {
		return string(buf[:n]), err
	}
	if held {
		conn.SetReadDeadline(time.Now().Add(holdLook))
		n, err := conn.Read(make([]byte, 1))
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("held connection: %d bytes, %v", n, err)
		}
		conn.SetReadDeadline(time.Now().Add(5 * time.Second))
		conn.CloseWrite()
	}
	rest, err := io.ReadAll(conn)
	if err == nil && !held {
		err = io.EOF
	}
	return string(buf) + string(rest), err
}

// The answers that fasthttp writes keep the connection.
func TestMisbehaviourStatus(t *testing.T) {
	server := start(t, Config{})
	for _, test := range []struct {
		code string
		body string
	}{
		{"200", "ok"}, {"204", ""}, {"301", "ok"}, {"304", ""}, {"404", "ok"}, {"503", "ok"}, {"599", "ok"},
	} {
		resp, body := get(t, "GET", server.url+"/fault/status/"+test.code, nil)
		if got := fmt.Sprint(resp.StatusCode); got != test.code || string(body) != test.body || resp.Close {
			t.Errorf("status %s, body %q, close %t; want %s, %q, false", got, body, resp.Close, test.code, test.body)
		}
	}
}

// The first requests of a connection are answered well, on that connection.
func TestMisbehaviourAfter(t *testing.T) {
	server := start(t, Config{})
	conn := dial(t, strings.TrimPrefix(server.url, "http://"))
	in := bufio.NewReader(conn)
	for range 3 {
		fmt.Fprint(conn, "GET /fault/garbage?after=3 HTTP/1.1\r\nHost: x\r\n\r\n")
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(resp.Body); string(body) != "ok" || err != nil {
			t.Fatalf("body %q, %v", body, err)
		}
	}
	fmt.Fprint(conn, "GET /fault/garbage?after=3 HTTP/1.1\r\nHost: x\r\n\r\n")
	if rest, err := io.ReadAll(in); string(rest) != tlsAlert || err != nil {
		t.Errorf("fourth answer %q, %v; want %q", rest, err, tlsAlert)
	}
}

// An answer never comes faster than its pace: its last byte has as many pauses
// before it as there are other bytes.
func TestSlowIsSlow(t *testing.T) {
	server := start(t, Config{})
	conn := dial(t, strings.TrimPrefix(server.url, "http://"))
	before := time.Now()
	fmt.Fprint(conn, "GET /fault/slow?every=2ms HTTP/1.1\r\nHost: x\r\n\r\n")
	all, err := io.ReadAll(conn)
	if took, least := time.Since(before), time.Duration(len(all)-1)*2*time.Millisecond; err != nil || len(all) < 50 || took < least {
		t.Errorf("%d bytes in %s, %v; want at least %s", len(all), took, err, least)
	}
}

func TestConcern(t *testing.T) {
	for _, test := range []struct {
		name         string
		after, share uint64
		nth          uint64 // request of its connection, the same each time
		want         string // of ten requests, x: picked
	}{
		{"all", 0, shareUnit, 1, "xxxxxxxxxx"},
		{"none", 0, 0, 1, ".........."},
		{"half", 0, shareUnit / 2, 1, ".x.x.x.x.x"},   // floor(n/2) grows at 2, 4, 6, 8, 10
		{"tenth", 0, shareUnit / 10, 1, ".........x"}, // floor(n/10) grows at 10
		{"0.3", 0, 300_000, 1, "...x..x..x"},          // 0.3 n: 1.2 at 4, 2.1 at 7, 3.0 at 10
		{"0.999999", 0, 999_999, 1, ".xxxxxxxxx"},     // 0.999999, 1.999998, ...
		{"spared", 5, shareUnit, 5, ".........."},
		{"the first not spared", 5, shareUnit, 6, "xxxxxxxxxx"},
	} {
		t.Run(test.name, func(t *testing.T) {
			options := misbehaveOptions{after: test.after, share: test.share}
			var asked atomic.Uint64
			got := ""
			for range 10 {
				if options.concern(test.nth, &asked) {
					got += "x"
				} else {
					got += "."
				}
			}
			if got != test.want {
				t.Errorf("picked %s, want %s", got, test.want)
			}
		})
	}
}

func TestMisbehaviourRefusals(t *testing.T) {
	server := start(t, Config{})
	for _, test := range []struct {
		method, path string
		status       int
		body         string // part of it
	}{
		{"GET", "/fault", 404, `fault "": expected one of close-before, close-in-head`},
		{"GET", "/fault/", 404, "http10-close, status/{code}"},
		{"GET", "/fault/reset", 404, `fault "reset": expected one of`},
		{"GET", "/fault/slow/", 404, `fault "slow/": expected one of`},
		{"GET", "/fault/status/99", 404, `fault status "99": expected 200 to 599`},
		{"GET", "/fault/status/600", 404, `fault status "600"`},
		{"GET", "/fault/status/", 404, `fault status ""`},
		{"GET", "/fault/garbage?afer=1", 400, `fault option "afer": expected after, share or every`},
		{"GET", "/fault/garbage?after=-1", 400, `fault after="-1": expected 0 to 1000000000 requests`},
		{"GET", "/fault/garbage?after=1e3", 400, `fault after="1e3"`},
		{"GET", "/fault/garbage?share=1.1", 400, `fault share="1.1": expected 0 to 1`},
		{"GET", "/fault/garbage?share=NaN", 400, `fault share="NaN"`},
		{"GET", "/fault/garbage?share=10%25", 400, `fault share="10%"`},
		{"GET", "/fault/garbage?every=1ms", 400, `fault every="1ms": only /fault/slow has it`},
		{"GET", "/fault/slow?every=0s", 400, `fault every="0s": expected a duration above 0s, up to 1s`},
		{"GET", "/fault/slow?every=2s", 400, `fault every="2s"`},
		{"POST", "/fault/garbage", 405, "allowed are GET"},
		{"HEAD", "/fault/garbage", 405, ""},
	} {
		t.Run(test.method+" "+test.path, func(t *testing.T) {
			resp, body := get(t, test.method, server.url+test.path, nil)
			if resp.StatusCode != test.status || !strings.Contains(string(body), test.body) {
				t.Errorf("status %d, body %q; want %d, %q in it", resp.StatusCode, body, test.status, test.body)
			}
		})
	}
}

// Connections that a misbehaviour has taken over are counted, and cut off at
// the end like all others.
func TestEndCutsOffTakenOver(t *testing.T) {
	server := start(t, Config{})
	var held []*net.TCPConn
	for _, kind := range []string{"stall-in-head", "stall-in-body", "slow?every=1s"} {
		conn := dial(t, strings.TrimPrefix(server.url, "http://"))
		fmt.Fprintf(conn, "GET /fault/%s HTTP/1.1\r\nHost: x\r\n\r\n", kind)
		if _, err := conn.Read(make([]byte, 1)); err != nil { // it has been taken over
			t.Fatal(err)
		}
		held = append(held, conn)
	}
	began := time.Now()
	server.cancel()
	if err := server.wait(t); err != nil {
		t.Error(err)
	}
	// Nothing waits for cutOffPatience, which is there for what does not end.
	if took := time.Since(began); took >= cutOffPatience {
		t.Errorf("the end took %s", took)
	}
	for i, conn := range held {
		if _, err := io.Copy(io.Discard, conn); err != nil && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("held connection %d: %v, want its end", i, err)
		}
	}
	if log := server.log.String(); log != "" {
		t.Errorf("logged %q", log)
	}
}
