package h1

import (
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

const helloResponse = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

// testConfig is a GET of which any 2xx is right, with a timeout of 100 ns.
func testConfig(t testing.TB) *Config {
	t.Helper()
	request, err := Render(RequestSpec{Method: "GET", Target: "/", Host: "target"})
	if err != nil {
		t.Fatal(err)
	}
	return &Config{Request: &request, Heads: new(Heads), Expect: exchange.Expect{BodyBytes: -1}, Timeout: 100 * time.Nanosecond}
}

// sent returns a connection with x out since t = 1000 and its request taken.
func sent(t testing.TB, cfg *Config, x *exchange.Exchange) *Conn {
	t.Helper()
	c := new(Conn)
	c.Init(cfg)
	c.Open()
	if !c.Start(x, 1000, false) {
		t.Fatal("Start refused")
	}
	if !leave(c, 1000) {
		t.Fatal("no request to send")
	}
	return c
}

// leave takes the request and lets it leave at once; false: there is none.
func leave(c *Conn, at mono.Time) bool {
	b, _ := c.Out()
	c.Stamp(at)
	return b != nil
}

func TestStamps(t *testing.T) {
	x := exchange.Exchange{Intended: 1, Ready: 2, Sent: 3, FirstByte: 4, Done: 5, Status: 6, BodyBytes: 7,
		Outcome: exchange.Reset, Reason: exchange.Reason{Text: "old", Errno: 8}, Conn: 9, Slot: 10}
	c := sent(t, testConfig(t), &x)
	// Deadline = 1000 + 100; what others own stays.
	if want := (exchange.Exchange{Intended: 1, Ready: 2, Sent: 1000, Deadline: 1100, Conn: 9, Slot: 10}); x != want {
		t.Errorf("after Start: %+v, want %+v", x, want)
	}
	c.Stamp(1001)     // the first byte leaves once
	c.Feed(1010, nil) // a read without bytes is no first byte
	c.Feed(1020, []byte(interim))
	c.Feed(1030, []byte(helloResponse[:20]))
	c.Feed(1040, []byte(helloResponse[20:]))
	want := exchange.Exchange{Intended: 1, Ready: 2, Sent: 1000, FirstByte: 1020, Done: 1040, Deadline: 1100,
		BodyBytes: 5, Status: 200, Outcome: exchange.OK, Conn: 9, Slot: 10}
	if x != want {
		t.Errorf("after the response: %+v, want %+v", x, want)
	}
}

func TestReuse(t *testing.T) {
	var first, second exchange.Exchange
	c := sent(t, testConfig(t), &first)
	if leave(c, 1001) {
		t.Error("the request is handed out twice")
	}
	if c.Start(&second, 1001, false) {
		t.Error("Start accepts an exchange while one is out")
	}
	if !c.Reusable() || c.Done() != nil {
		t.Error("with an exchange out: want reusable, nothing done")
	}
	c.Feed(1002, []byte(helloResponse))
	if c.Start(&second, 1003, false) {
		t.Error("Start accepts an exchange before Done returned the last one")
	}
	if done := c.Done(); len(done) != 1 || done[0] != &first {
		t.Errorf("Done = %v, want the first exchange", done)
	}
	if c.Done() != nil {
		t.Error("Done returns an exchange twice")
	}
	if c.Deadline() != 0 {
		t.Errorf("Deadline = %d without an exchange, want 0", c.Deadline())
	}
	if !c.Start(&second, 1004, false) || !leave(c, 1004) {
		t.Fatal("Start refuses the second exchange")
	}
	if c.Deadline() != 1104 { // 1004 + 100
		t.Errorf("Deadline = %d, want 1104", c.Deadline())
	}
	c.Feed(1005, []byte(helloResponse))
	if second.Outcome != exchange.OK || !c.Reusable() {
		t.Errorf("second exchange: %v, reusable %v; want ok, true", second.Outcome, c.Reusable())
	}
}

// The bound on interim responses holds for one exchange, not for the
// connection: 2 x 32 of them are fine.
func TestInterimsCountAnew(t *testing.T) {
	var x exchange.Exchange
	c := sent(t, testConfig(t), &x)
	for range 2 {
		c.Feed(1001, []byte(strings.Repeat(interim, maxInterims)+helloResponse))
		if x.Outcome != exchange.OK || len(c.Done()) != 1 {
			t.Fatalf("32 interim responses: %v %q, want ok", x.Outcome, x.Reason.Text)
		}
		c.Start(&x, 1002, false)
		leave(c, 1002)
	}
}

func TestZeroConnIsClosed(t *testing.T) {
	var c Conn
	c.Init(testConfig(t))
	if c.Reusable() || c.Start(new(exchange.Exchange), 1, false) {
		t.Error("a connection that was never opened takes an exchange")
	}
	c.Feed(1, []byte("x"))
	c.Skipped(1, 1)
	c.Expire(1)
	c.Abort(1, exchange.Unfinished, exchange.Reason{})
	if c.Done() != nil || leave(&c, 1) || c.Free() != 0 {
		t.Error("a connection that was never opened does something")
	}
}

func TestLastRequest(t *testing.T) {
	for _, test := range []struct {
		name       string
		once, last bool
		want       string
		reusable   bool
	}{
		{"keep", false, false, "keep", true},
		{"last", false, true, "close", false}, // the server's silence about closing does not matter
		{"own close", true, false, "keep", false},
		{"own close, last", true, true, "close", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var x exchange.Exchange
			var c Conn
			c.Init(&Config{Request: &Request{Keep: []byte("keep"), Close: []byte("close"), Once: test.once}, Expect: exchange.Expect{BodyBytes: -1}})
			c.Open()
			c.Start(&x, 1, test.last)
			if got, more := c.Out(); string(got) != test.want || more {
				t.Errorf("Out = %q, more %v, want %q", got, more, test.want)
			}
			c.Stamp(1)
			c.Feed(2, []byte(helloResponse))
			if x.Outcome != exchange.OK || c.Reusable() != test.reusable {
				t.Errorf("outcome %v, reusable %v; want ok, %v", x.Outcome, c.Reusable(), test.reusable)
			}
			c.Done()
			if c.Start(&x, 3, false) != test.reusable {
				t.Errorf("Start = %v, want %v as Reusable", !test.reusable, test.reusable)
			}
		})
	}
}

func TestBytesBeforeTheRequest(t *testing.T) {
	var c Conn
	var x exchange.Exchange
	c.Init(testConfig(t))
	c.Open()
	c.Start(&x, 1, false)
	c.Feed(2, []byte("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"))
	if x.Outcome != exchange.ProtocolError || x.Reason.Text != "response before the request was sent" || x.FirstByte != 0 {
		t.Errorf("%v %q, first byte %d; want protocol_error, no first byte", x.Outcome, x.Reason.Text, x.FirstByte)
	}
	if leave(&c, 3) {
		t.Error("a request that has failed is still handed out")
	}
}

func TestStrayBytes(t *testing.T) {
	c := new(Conn)
	c.Init(testConfig(t))
	c.Open()
	c.Feed(1, []byte("HTTP/1.1 408 Request Timeout\r\n"))
	if c.Reusable() || c.Start(new(exchange.Exchange), 2, false) {
		t.Error("stray bytes: want the connection given up")
	}
	if c.Fault() != "bytes that no request asked for" {
		t.Errorf("stray bytes are told as %q", c.Fault())
	}
	c.Open()
	if !c.Reusable() || c.Fault() != "" {
		t.Error("Open does not forget the stray bytes")
	}
}

func TestSkipped(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
	var x exchange.Exchange
	c := sent(t, testConfig(t), &x)
	if c.Skippable() != 0 {
		t.Errorf("Skippable = %d before the head, want 0", c.Skippable())
	}
	c.Feed(1001, []byte(head+"0123456789"))
	if c.Skippable() != 990 { // 1000 - 10
		t.Errorf("Skippable = %d, want 990", c.Skippable())
	}
	c.Skipped(1002, 0)
	c.Skipped(1003, 900)
	c.Skipped(1004, 90)
	if x.Outcome != exchange.OK || x.BodyBytes != 1000 || x.Done != 1004 || !c.Reusable() {
		t.Errorf("got %v, %d bytes, done %d; want ok, 1000, 1004, reusable", x.Outcome, x.BodyBytes, x.Done)
	}

	c = sent(t, testConfig(t), &x)
	c.Feed(1001, []byte(head))
	c.Skipped(1002, 1001) // one more than there can be
	if x.Outcome != exchange.ProtocolError || x.Reason.Text != "more bytes than the response" || c.Reusable() {
		t.Errorf("skipped too much: %v %q", x.Outcome, x.Reason.Text)
	}
}

func TestExpect(t *testing.T) {
	for _, test := range []struct {
		status    uint16
		bodyBytes int64
		want      exchange.Outcome
		text      string
	}{
		{0, -1, exchange.OK, ""},
		{0, 5, exchange.OK, ""},
		{200, 5, exchange.OK, ""},
		{0, 4, exchange.BadBody, "body length is not the expected one"},
		{0, 0, exchange.BadBody, "body length is not the expected one"},
		{201, -1, exchange.BadStatus, ""},
		{404, 4, exchange.BadStatus, ""}, // the status comes first
	} {
		var x exchange.Exchange
		cfg := testConfig(t)
		cfg.Expect = exchange.Expect{Status: test.status, BodyBytes: test.bodyBytes}
		c := sent(t, cfg, &x)
		c.Feed(1001, []byte(helloResponse))
		if x.Outcome != test.want || x.Reason.Text != test.text || !c.Reusable() {
			t.Errorf("%+v of a 200 with 5 bytes: %v %q, reusable %v; want %v %q, true",
				cfg.Expect, x.Outcome, x.Reason.Text, c.Reusable(), test.want, test.text)
		}
	}
}

func TestExpectedError(t *testing.T) {
	var x exchange.Exchange
	cfg := testConfig(t)
	cfg.Expect.Status = 404
	c := sent(t, cfg, &x)
	c.Feed(1001, []byte("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"))
	if x.Outcome != exchange.OK || x.Status != 404 {
		t.Errorf("an expected 404: %v, want ok", x.Outcome)
	}
}

// The points at which an exchange is broken off below: nothing back, inside
// the head, inside a sized body, inside a body until close.
var points = [...]string{"", "HTTP/1.1 2", helloResponse[:len(helloResponse)-1], "HTTP/1.1 200 OK\r\n\r\nhell"}

func TestEnd(t *testing.T) {
	for _, test := range []struct {
		name   string
		errno  syscall.Errno
		want   [len(points)]exchange.Outcome
		reason [len(points)]string
	}{
		{"FIN", 0,
			[...]exchange.Outcome{exchange.Reset, exchange.ReadFailed, exchange.ReadFailed, exchange.OK},
			[...]string{"closed before the response", "closed inside the head", "closed inside the body", ""}},
		{"RST", syscall.ECONNRESET,
			[...]exchange.Outcome{exchange.Reset, exchange.ReadFailed, exchange.ReadFailed, exchange.ReadFailed},
			[...]string{"receive failed before the response", "receive failed inside the head", "receive failed inside the body", "receive failed inside the body"}},
		{"timed out", syscall.ETIMEDOUT,
			[...]exchange.Outcome{exchange.ReadFailed, exchange.ReadFailed, exchange.ReadFailed, exchange.ReadFailed},
			[...]string{"receive failed before the response", "receive failed inside the head", "receive failed inside the body", "receive failed inside the body"}},
	} {
		for i, point := range points {
			var x exchange.Exchange
			c := sent(t, testConfig(t), &x)
			c.Feed(1001, []byte(point))
			c.End(1002, test.errno, true)
			if x.Outcome != test.want[i] || x.Reason.Text != test.reason[i] || x.Reason.Errno != uint16(test.errno) || x.Done != 1002 {
				t.Errorf("%s after %q: %v %+v done %d; want %v %q errno %d done 1002",
					test.name, point, x.Outcome, x.Reason, x.Done, test.want[i], test.reason[i], test.errno)
			}
			if c.Reusable() || len(c.Done()) != 1 {
				t.Errorf("%s after %q: want not reusable, one done", test.name, point)
			}
		}
	}
}

// In TLS a FIN alone is no end: the body may have been cut off by anybody.
func TestEndWithoutCloseNotify(t *testing.T) {
	want := [len(points)]exchange.Outcome{exchange.Reset, exchange.ReadFailed, exchange.ReadFailed, exchange.ReadFailed}
	for i, point := range points {
		var x exchange.Exchange
		c := sent(t, testConfig(t), &x)
		c.Feed(1001, []byte(point))
		c.End(1002, 0, false)
		if x.Outcome != want[i] {
			t.Errorf("after %q: %v, want %v", point, x.Outcome, want[i])
		}
	}
}

// The timeout counts from sending, and until that from Start.
func TestTimeoutCountsFromStamp(t *testing.T) {
	var x exchange.Exchange
	c := new(Conn)
	c.Init(testConfig(t)) // 100 ns
	c.Open()
	c.Start(&x, 1000, false)
	if c.Deadline() != 1100 {
		t.Errorf("deadline %d before sending, want 1000 + 100", c.Deadline())
	}
	c.Stamp(1040) // of something else: the request has not been taken
	c.Out()
	c.Stamp(1050)
	if c.Expire(1149); x.Outcome != exchange.Pending || c.Deadline() != 1150 {
		t.Errorf("%v with deadline %d, want pending until 1050 + 100", x.Outcome, c.Deadline())
	}
	if c.Expire(1150); x.Outcome != exchange.Timeout {
		t.Errorf("%v at the deadline", x.Outcome)
	}
}

func TestEndWhenIdle(t *testing.T) {
	var x exchange.Exchange
	c := sent(t, testConfig(t), &x)
	c.Feed(1001, []byte(helloResponse))
	c.End(1002, 0, true)
	if x.Outcome != exchange.OK || x.Done != 1001 || c.Reusable() {
		t.Errorf("FIN behind a response: %v done %d, reusable %v; want ok, 1001, false", x.Outcome, x.Done, c.Reusable())
	}
	if len(c.Done()) != 1 || c.Done() != nil {
		t.Error("want the response's exchange, once")
	}
}

func TestExpire(t *testing.T) {
	want := [...]string{"no response by the deadline", "head incomplete at the deadline", "body incomplete at the deadline", "body incomplete at the deadline"}
	for i, point := range points {
		var x exchange.Exchange
		c := sent(t, testConfig(t), &x)
		c.Feed(1001, []byte(point))
		c.Expire(1099) // one before the deadline
		if x.Outcome != exchange.Pending {
			t.Errorf("%q expired before its deadline", point)
		}
		c.Expire(1100)
		if x.Outcome != exchange.Timeout || x.Reason.Text != want[i] || x.Done != 1100 || c.Reusable() {
			t.Errorf("%q: %v %q done %d, reusable %v; want timeout %q 1100 false", point, x.Outcome, x.Reason.Text, x.Done, c.Reusable(), want[i])
		}
		c.Feed(1101, []byte(helloResponse)) // the late response
		if x.Outcome != exchange.Timeout || len(c.Done()) != 1 {
			t.Errorf("%q: late bytes are not ignored", point)
		}
	}
}

func TestNoTimeout(t *testing.T) {
	var x exchange.Exchange
	cfg := testConfig(t)
	cfg.Timeout = 0
	c := sent(t, cfg, &x)
	c.Expire(mono.Time(1 << 62))
	if c.Deadline() != 0 || x.Outcome != exchange.Pending {
		t.Errorf("without a timeout: deadline %d, %v; want 0, pending", c.Deadline(), x.Outcome)
	}
}

func TestAbort(t *testing.T) {
	var x exchange.Exchange
	c := sent(t, testConfig(t), &x)
	c.Abort(1005, exchange.WriteFailed, exchange.Reason{Errno: uint16(syscall.EPIPE)})
	if x.Outcome != exchange.WriteFailed || x.Reason.Errno != uint16(syscall.EPIPE) || x.Done != 1005 || c.Reusable() || len(c.Done()) != 1 {
		t.Errorf("aborted: %+v, reusable %v", x, c.Reusable())
	}
}

func TestOpenForgets(t *testing.T) {
	var x exchange.Exchange
	c := sent(t, testConfig(t), &x)
	c.Feed(1001, []byte(interim+"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Le"))
	c.End(1002, 0, true)
	c.Open()
	if len(c.Done()) != 1 {
		t.Error("Open lost the exchange that had finished")
	}
	if !c.Start(&x, 2000, false) || !leave(c, 2000) {
		t.Fatal("not reusable after Open")
	}
	c.Feed(2001, []byte(helloResponse))
	if x.Outcome != exchange.OK || x.BodyBytes != 5 || !c.Reusable() {
		t.Errorf("after Open: %v %q, %d bytes, reusable %v", x.Outcome, x.Reason.Text, x.BodyBytes, c.Reusable())
	}
}

// Ten thousand idle connections must cost next to nothing, so that a codec may
// not carry a buffer.
func TestConnIsSmall(t *testing.T) {
	if size := unsafe.Sizeof(Conn{}); size > 200 {
		t.Errorf("a Conn takes %d bytes, want 200 at most", size)
	}
	var x exchange.Exchange
	c := sent(t, testConfig(t), &x)
	c.Feed(1001, []byte(helloResponse))
	if cap(c.lines.partial) != 0 {
		t.Error("a response in one piece made the connection allocate a buffer")
	}
}
