package h2

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
	"github.com/scalws/scalbench/loadgen/internal/request"
)

// script writes the bytes of a server, with the frames and the header
// compression of golang.org/x/net/http2.
type script struct {
	bytes   bytes.Buffer
	framer  *http2.Framer
	block   bytes.Buffer
	encoder *hpack.Encoder
}

func newScript() *script {
	s := new(script)
	s.framer = http2.NewFramer(&s.bytes, nil)
	s.framer.AllowIllegalWrites = true
	s.encoder = hpack.NewEncoder(&s.block)
	return s
}

// fields encodes names and values in turn.
func (s *script) fields(namesAndValues ...string) []byte {
	s.block.Reset()
	for i := 0; i < len(namesAndValues); i += 2 {
		s.encoder.WriteField(hpack.HeaderField{Name: namesAndValues[i], Value: namesAndValues[i+1]})
	}
	return bytes.Clone(s.block.Bytes())
}

func (s *script) settings(settings ...http2.Setting) { s.framer.WriteSettings(settings...) }

func (s *script) headers(id uint32, end bool, namesAndValues ...string) {
	s.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, EndHeaders: true, EndStream: end, BlockFragment: s.fields(namesAndValues...)})
}

func (s *script) data(id uint32, end bool, size int) {
	s.framer.WriteData(id, end, make([]byte, size))
}

func (s *script) raw(typ http2.FrameType, flags http2.Flags, id uint32, payload ...byte) {
	s.framer.WriteRawFrame(typ, flags, id, payload)
}

// response is a small complete one.
func (s *script) response(id uint32) {
	s.headers(id, false, ":status", "200", "content-length", "5")
	s.data(id, true, 5)
}

// take returns what was written since the last call.
func (s *script) take() []byte {
	b := bytes.Clone(s.bytes.Bytes())
	s.bytes.Reset()
	return b
}

// peer is a server at the other end of a connection: it writes a script and
// reads what the client sends, with golang.org/x/net/http2 on its side of both.
type peer struct {
	*script
	t       testing.TB
	c       *Conn
	now     mono.Time
	arrived bytes.Buffer // what the client has sent and nobody has read
	reader  *http2.Framer
	fields  *hpack.Decoder
}

// testRequest is a GET, unless edit makes something else of it.
func testRequest(t testing.TB, edit func(*request.Spec)) *Request {
	t.Helper()
	spec := request.Spec{Method: "GET", Scheme: "https", Authority: "target", Path: "/x?y", Header: []request.Field{{Name: "User-Agent", Value: "scalbench"}}}
	if edit != nil {
		edit(&spec)
	}
	request, err := Render(spec)
	if err != nil {
		t.Fatal(err)
	}
	return &request
}

// testConfig is a GET on up to two streams of which any 2xx is right, with a
// timeout of 100 ns.
func testConfig(t testing.TB) *Config {
	return &Config{Request: testRequest(t, nil), Expect: exchange.Expect{BodyBytes: -1}, Timeout: 100 * time.Nanosecond, Streams: 2}
}

// posting is the same with a body of so many bytes.
func posting(t testing.TB, bodyBytes int) *Config {
	cfg := testConfig(t)
	cfg.Request = testRequest(t, func(s *request.Spec) { s.Method, s.Body = "POST", make([]byte, bodyBytes) })
	return cfg
}

// accept opens a connection at t = 1000. The opening has left and been read.
func accept(t testing.TB, cfg *Config) *peer {
	t.Helper()
	p := &peer{script: newScript(), t: t, c: new(Conn), now: 1000}
	p.fields = hpack.NewDecoder(4096, nil)
	p.reader = http2.NewFramer(nil, &p.arrived)
	p.reader.ReadMetaHeaders = p.fields
	p.reader.SetMaxReadFrameSize(1 << 20)
	p.c.Init(cfg)
	p.c.Open()
	p.receive()
	if got := string(p.arrived.Next(len(http2.ClientPreface))); got != http2.ClientPreface {
		t.Fatalf("preface %q", got)
	}
	p.wants("SETTINGS ENABLE_PUSH=0 INITIAL_WINDOW_SIZE=1073741824 MAX_HEADER_LIST_SIZE=65536",
		"WINDOW_UPDATE 0 1073676289") // 2^30 - 65535
	return p
}

// start starts n exchanges now.
func (p *peer) start(n int) []*exchange.Exchange {
	p.t.Helper()
	var all []*exchange.Exchange
	for range n {
		x := new(exchange.Exchange)
		if !p.c.Start(x, p.now, false) {
			p.t.Fatalf("Start refused, Free is %d", p.c.Free())
		}
		all = append(all, x)
	}
	return all
}

// receive lets everything leave that the client has to send.
func (p *peer) receive() {
	for {
		b, more := p.c.Out()
		p.arrived.Write(b)
		p.c.Stamp(p.now)
		if !more {
			return
		}
	}
}

// send delivers what the script has written.
func (p *peer) send() {
	p.now++
	p.c.Feed(p.now, p.take())
}

// wants reads what the client sends, all of it, and compares.
func (p *peer) wants(want ...string) {
	p.t.Helper()
	p.receive()
	var got []string
	for p.arrived.Len() > 0 {
		f, err := p.reader.ReadFrame()
		if err != nil {
			p.t.Fatalf("after %q: %v", got, err)
		}
		got = append(got, frameText(f))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		p.t.Fatalf("the client sent\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// drain reads what the client sends, whatever it is.
func (p *peer) drain() {
	p.t.Helper()
	p.receive()
	for p.arrived.Len() > 0 {
		if _, err := p.reader.ReadFrame(); err != nil {
			p.t.Fatal(err)
		}
	}
}

// frameText is a frame in a word, its stream and what matters of it.
func frameText(f http2.Frame) string {
	h := f.Header()
	switch f := f.(type) {
	case *http2.SettingsFrame:
		text := "SETTINGS"
		if f.IsAck() {
			text += " ack"
		}
		for i := range f.NumSettings() {
			text += fmt.Sprintf(" %v=%d", f.Setting(i).ID, f.Setting(i).Val)
		}
		return text
	case *http2.MetaHeadersFrame:
		text := fmt.Sprintf("HEADERS %d %s %s", h.StreamID, f.PseudoValue("method"), f.PseudoValue("path"))
		if f.StreamEnded() {
			text += " end"
		}
		return text
	case *http2.DataFrame:
		text := fmt.Sprintf("DATA %d %d", h.StreamID, len(f.Data()))
		if f.StreamEnded() {
			text += " end"
		}
		return text
	case *http2.WindowUpdateFrame:
		return fmt.Sprintf("WINDOW_UPDATE %d %d", h.StreamID, f.Increment)
	case *http2.RSTStreamFrame:
		return fmt.Sprintf("RST_STREAM %d %v", h.StreamID, f.ErrCode)
	case *http2.PingFrame:
		return fmt.Sprintf("PING ack=%v %s", f.IsAck(), f.Data)
	case *http2.GoAwayFrame:
		return fmt.Sprintf("GOAWAY %d %v", f.LastStreamID, f.ErrCode)
	}
	return h.String()
}

// ended checks how an exchange ended, by outcome and reason.
func (p *peer) ended(x *exchange.Exchange, outcome exchange.Outcome, text string) {
	p.t.Helper()
	if x.Outcome != outcome || x.Reason.Text != text {
		p.t.Errorf("%v %q, want %v %q", x.Outcome, x.Reason.Text, outcome, text)
	}
}

// returned checks that Done returns these exchanges, in this order.
func (p *peer) returned(want ...*exchange.Exchange) {
	p.t.Helper()
	got := p.c.Done()
	same := len(got) == len(want)
	for i := range want {
		same = same && got[i] == want[i]
	}
	if !same {
		p.t.Errorf("Done returns %d exchanges, want %d, or others", len(got), len(want))
	}
}
