package probe

import (
	"context"
	"encoding/json"
	"net"
	"slices"
	"strings"
	"testing"
	"time"
)

// names are the phases of a probe, in one word.
func names(p *Probe) string {
	var all []string
	for _, s := range p.Spans {
		all = append(all, s.Phase.String())
	}
	return strings.Join(all, " ")
}

func TestPhasesAddUp(t *testing.T) {
	inEveryMode(t, func(t *testing.T, m mode, c Config) {
		p := one(t, c, "/ok")
		if p.Outcome != OK || p.Status != 200 || p.BodyBytes != 2 || p.Reused {
			t.Fatalf("%+v, want ok with 2 bytes on a new connection", p)
		}
		want := "tcp first_byte last_byte"
		if h, has := m.handshake(); has {
			want = strings.Replace(want, "first", h.String()+" first", 1)
		}
		if m.protocol == HTTP3 {
			want = strings.TrimPrefix(want, "tcp ")
		}
		if got := names(p); got != want {
			t.Errorf("phases %q, want %q", got, want)
		}
		var sum time.Duration
		for _, s := range p.Spans {
			if s.Duration < 0 {
				t.Errorf("%s lasted %s", s.Phase, s.Duration)
			}
			sum += s.Duration
		}
		if sum != p.Total() || p.Total() <= 0 {
			t.Errorf("phases add up to %s, total is %s", sum, p.Total())
		}
		if p.Late() < 0 || p.Response() != p.Late()+p.Total() {
			t.Errorf("response %s, want late %s + total %s", p.Response(), p.Late(), p.Total())
		}
	})
}

func TestLookupIsAPhase(t *testing.T) {
	c := serve(t, modes()[0])
	c.URL = strings.Replace(c.URL, "127.0.0.1", "localhost", 1)
	c.Family = 4 // nothing listens on ::1
	if p := one(t, c, "/ok"); p.Outcome != OK || names(p) != "dns tcp first_byte last_byte" {
		t.Errorf("%s, phases %q, want ok with a dns phase", p.Line(), names(p))
	}
	c.Family = 0 // ::1 may be tried first: the next address is taken then
	if p := one(t, c, "/ok"); p.Outcome != OK {
		t.Errorf("with both families: %s", p.Line())
	}
}

// The server waits 20 ms between head and body, and that is in last_byte. A probe
// that was late to see the head has the first part of it in its own time: of
// several at least one was not.
func TestBodyDelayIsInLastByte(t *testing.T) {
	inEveryMode(t, func(t *testing.T, _ mode, c Config) {
		c.URL += "/slow-body"
		c.Count, c.Rate = 5, 40
		all, _ := probes(t, c)
		var longest time.Duration
		for _, p := range all {
			last, ok := p.Span(PhaseLastByte)
			if p.Outcome != OK || !ok || p.Total() < bodyDelay {
				t.Errorf("%s, want ok and at least %s in all", p.Line(), bodyDelay)
			}
			longest = max(longest, last)
		}
		if longest < bodyDelay {
			t.Errorf("last bytes after %s at most, want %s", longest, bodyDelay)
		}
	})
}

func TestKeepAlive(t *testing.T) {
	inEveryMode(t, func(t *testing.T, _ mode, c Config) {
		c.URL += "/ok"
		c.KeepAlive, c.Count, c.Rate = true, 4, 50 // 20 ms apart: each has ended before the next, or the next says so
		all, summary := probes(t, c)
		for i, p := range all {
			if p.Outcome != OK {
				t.Fatalf("probe %d: %s", i, p.Line())
			}
			if p.Reused != (names(p) == "first_byte last_byte") {
				t.Errorf("probe %d: reused %v, with phases %q", i, p.Reused, names(p))
			}
			overlaps := i > 0 && all[i-1].Done > p.Began
			if i > 0 && !p.Reused && !overlaps {
				t.Errorf("probe %d has a new connection although one was free", i)
			}
		}
		if all[0].Reused || summary.Latency.FirstByte.Count != 4 {
			t.Errorf("first reused: %v, first bytes: %d, want false and 4", all[0].Reused, summary.Latency.FirstByte.Count)
		}
	})
}

// The request is what was asked, on every protocol.
func TestRequest(t *testing.T) {
	inEveryMode(t, func(t *testing.T, _ mode, c Config) {
		c.Method, c.Host, c.Body, c.Header = "PUT", "elsewhere", []byte("hello"), map[string][]string{"x-tag": {"t"}}
		if p := one(t, c, "/echo"); p.Outcome != OK {
			t.Errorf("%s, want ok", p.Line())
		}
		c.ExpectStatus = 204
		if p := one(t, c, "/echo"); p.Outcome != BadStatus || p.Error != "status 200, not 204" {
			t.Errorf("%s, want bad_status", p.Line())
		}
	})
}

func TestOwnTime(t *testing.T) {
	inEveryMode(t, func(t *testing.T, m mode, c Config) {
		c.URL += "/ok"
		c.Count, c.Rate = 5, 200
		all, summary := probes(t, c)
		stamped := 0
		for _, p := range all {
			own, ok := p.Own()
			if !ok {
				continue
			}
			stamped++
			if first, _ := p.Span(PhaseFirstByte); own < 0 || own > first {
				t.Errorf("own %s of a first byte of %s", own, first)
			}
		}
		switch {
		case m.protocol == HTTP3 && (stamped > 0 || summary.Latency.Own != nil):
			t.Error("an own time with QUIC, where the kernel's stamps are not read")
		case m.protocol != HTTP3 && stamped == 0 && stampsSupported(t):
			t.Error("no own time, although the kernel gives stamps")
		}
	})
}

// Overlapping probes: each stalls for its timeout, and the next begins all the same.
func TestStalledServerDoesNotHoldTheSchedule(t *testing.T) {
	c := serve(t, modes()[0])
	c.URL += "/stall"
	c.Count, c.Rate, c.Timeout = 10, 100, 300*time.Millisecond
	all, summary := probes(t, c)
	for _, p := range all {
		// The k-th is intended 10 ms x k after the start and times out 300 ms after it was sent.
		if p.Outcome != Timeout || p.Total() < c.Timeout {
			t.Errorf("%s, want a timeout after 300 ms", p.Line())
		}
	}
	if all[9].Began > all[0].Done {
		t.Error("the tenth probe began after the first had ended")
	}
	if got := all[9].Intended.Sub(all[0].Intended); got != 90*time.Millisecond { // 9 / 100 s
		t.Errorf("the tenth was intended %s after the first, want 90ms", got)
	}
	if r := summary.Latency.Response; r == nil || r.Count != 10 || r.MinUS < 300e3 {
		t.Errorf("response %+v, want all 10 timeouts in it", r)
	}
	if summary.Latency.Total != nil || summary.Lost != 10 || *summary.LostFrac != 1 {
		t.Errorf("total %v, lost %d of %d, want none and 10 of 10", summary.Latency.Total, summary.Lost, summary.Ledger.Scheduled)
	}
}

// An interruption ends what is out after the drain, and it is told as unfinished.
func TestInterrupt(t *testing.T) {
	c := serve(t, modes()[0])
	c.URL += "/stall"
	c.Count, c.Rate, c.Timeout = 0, 100, 0
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	time.AfterFunc(50*time.Millisecond, cancel)
	summary, err := Run(ctx, c, Observer{})
	if err != nil {
		t.Fatal(err)
	}
	l := summary.Ledger
	if !summary.Interrupted || l.Unfinished == 0 || l.Unfinished != l.Scheduled || summary.Lost != 0 {
		t.Errorf("interrupted %v, %+v, lost %d, want all unfinished and none lost", summary.Interrupted, l, summary.Lost)
	}
	if r := summary.Latency.Response; r == nil || r.Count != l.Unfinished || r.MinUS < float64(drainMax.Microseconds()) {
		t.Errorf("response %+v, want %d of at least the drain", r, l.Unfinished)
	}
}

// Ended with ErrEnd, a run without an end of its own is not interrupted.
func TestEnd(t *testing.T) {
	c := serve(t, modes()[0])
	c.URL += "/ok"
	c.Count, c.Rate = 0, 100
	ctx, end := context.WithCancelCause(context.Background())
	defer end(nil)
	summary, err := Run(ctx, c, Observer{Probe: func(p *Probe) {
		if p.Seq == 2 {
			end(ErrEnd)
		}
	}})
	if err != nil || summary.Interrupted || summary.Ledger.OK < 3 || summary.Lost != 0 {
		t.Errorf("%+v, %v, want at least 3 ok, not interrupted", summary, err)
	}
}

// A kept connection that the server closes while nothing is asked on it is
// replaced, without a word.
func TestKeptConnectionIsClosedByServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			conn.Read(make([]byte, 4096))
			conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
			conn.Close()
		}
	}()
	all, _ := probes(t, Config{URL: "http://" + listener.Addr().String(), Rate: 20, Count: 3, KeepAlive: true})
	listener.Close()
	<-ended
	for _, p := range all {
		if p.Outcome != OK || p.Reused {
			t.Errorf("%s, reused %v, want ok on a new connection", p.Line(), p.Reused)
		}
	}
}

// Rows come once a second and tell of a stall while it lasts.
func TestRowsTellAStall(t *testing.T) {
	c := serve(t, modes()[0])
	c.URL += "/stall"
	c.Count, c.Rate, c.Timeout = 2, 10, 2200*time.Millisecond
	var all []Row
	if _, err := Run(context.Background(), c, Observer{Row: func(r Row) { all = append(all, r) }}); err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 || all[0].Out != 2 || all[0].Ended() != 0 || all[0].Oldest < 900*time.Millisecond {
		t.Errorf("rows %+v, want 2 out for about a second", all)
	}
}

func TestRowOfNDJSON(t *testing.T) {
	c := serve(t, modes()[3])
	p := one(t, c, "/ok")
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var row map[string]any
	if err := json.Unmarshal(text, &row); err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, key := range []string{"tcp_us", "tls_us", "first_byte_us", "last_byte_us"} {
		us, ok := row[key].(float64)
		if !ok {
			t.Errorf("no %s in %s", key, text)
		}
		sum += us
	}
	if total := row["total_us"].(float64); sum < total-0.01 || sum > total+0.01 { // of rounding
		t.Errorf("phases add up to %f us, total_us is %f", sum, total)
	}
	for _, absent := range []string{"dns_us", "quic_us", "error", "failed_in"} {
		if _, ok := row[absent]; ok {
			t.Errorf("%s in %s, want it absent", absent, text)
		}
	}
	if !slices.Equal([]any{row["seq"], row["outcome"], row["status"]}, []any{0.0, "ok", 200.0}) {
		t.Errorf("seq, outcome, status of %s", text)
	}
}
