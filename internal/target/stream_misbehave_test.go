package target

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/quic-go/qpack"
	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/quicvarint"
)

// requestFrame is the HEADERS frame of a request.
func requestFrame(method, path string) string {
	var fields bytes.Buffer
	encoder := qpack.NewEncoder(&fields)
	for _, f := range []qpack.HeaderField{{Name: ":method", Value: method}, {Name: ":scheme", Value: "https"}, {Name: ":authority", Value: "h"}, {Name: ":path", Value: path}} {
		encoder.WriteField(f)
	}
	return frame(headersFrame, fields.String())
}

// ask opens a stream with a whole request.
func ask(t *testing.T, conn *quic.Conn, method, path string) *quic.Stream {
	t.Helper()
	stream := openStream(t, conn, requestFrame(method, path))
	if err := stream.Close(); err != nil {
		t.Fatal(err)
	}
	return stream
}

// Heads as bytes: a HEADERS frame (type 1) of so many bytes, a prefix of two zeros,
// which is no dynamic table (RFC 9204, 4.5.1), :status 200 as entry 25 of the
// static table (11011001), and content-length by the name of entry 4 (01010100)
// with a value of Huffman's code: 1 is 00001, 2 is 00010, 3 is 011001, 0 is 00000,
// the rest ones (RFC 7541, appendix B).
const (
	headWithout = "\x01\x03\x00\x00\xd9"
	headOf2     = "\x01\x06\x00\x00\xd9\x54\x81\x17"             // 00010 111
	headOf2And3 = "\x01\x09\x00\x00\xd9\x54\x81\x17\x54\x81\x67" // 011001 11
	headOf10    = "\x01\x07\x00\x00\xd9\x54\x82\x08\x3f"         // 00001 00000 111111
	okFrame     = "\x00\x02ok"                                   // a DATA frame (type 0)
	halfFrame   = "\x00\x05half "
)

// What goes over the stream, byte for byte.
func TestMisbehaviourOnTheStream(t *testing.T) {
	cfg := quicConfigOf(t)
	server := start(t, cfg)
	tested := map[string]bool{}
	for _, test := range []struct {
		kind string
		want string
		end  error // io.EOF: FIN; nil: none, the stream is held
	}{
		{"close-before", "", io.EOF},
		{"close-in-head", headOf2[:3], io.EOF},
		{"close-in-body", headWithout + "\x00\x0ahalf ", io.EOF},
		{"rst-before", "", errReset},
		{"rst-in-body", headOf10 + halfFrame, errReset},
		{"stall-before", "", nil},
		{"stall-in-head", headOf2[:3], nil},
		{"stall-in-body", headOf10 + halfFrame, nil},
		{"short-body", headOf10 + halfFrame, io.EOF},
		{"long-body", headOf2 + "\x00\x0bok and more", io.EOF},
		{"two-lengths", headOf2And3 + "\x00\x03ok!", io.EOF},
		{"extra-bytes", headOf2 + okFrame + headOf2 + okFrame, io.EOF},
		{"slow", headOf2 + okFrame, io.EOF},
		{"garbage", "\x15\x03\x01\x00\x02\x02\x28", io.EOF},
	} {
		tested[test.kind] = true
		t.Run(test.kind, func(t *testing.T) {
			t.Parallel()
			stream := ask(t, dialQUIC(t, cfg, server), "GET", "/fault/"+test.kind)
			got, end := readStream(t, stream, len(test.want), test.end == nil)
			switch {
			case test.end == errReset: // it may overtake at the client what came before it
				if !strings.HasPrefix(test.want+frame(reservedFrame, strings.Repeat("\x00", fillerBytes)), got) || !isReset(end) {
					t.Errorf("got %q, end %v\nwant a beginning of %q and a reset", got, end, test.want)
				}
			case got != test.want || !errors.Is(end, test.end):
				t.Errorf("got %q, end %v\nwant %q, end %v", got, end, test.want, test.end)
			}
		})
	}
	for _, kind := range misbehaviours {
		_, onStream := streamAnswer(kind.name)
		byFields := kind.name == "length-and-chunked" || kind.name == "huge-head" // by TestMisbehaviourFields
		if onStream != (tested[kind.name] || byFields) {
			t.Errorf("%s is tested: %t", kind.name, !onStream)
		}
	}
}

// Heads that are told by their fields rather than by their bytes.
func TestMisbehaviourFields(t *testing.T) {
	cfg := quicConfigOf(t)
	conn := dialQUIC(t, cfg, start(t, cfg))
	padding := qpack.HeaderField{Name: "x-padding", Value: strings.Repeat("x", 1015)} // 1024 bytes with its name
	for _, test := range []struct {
		kind   string
		fields []qpack.HeaderField // between the status and "ok"
	}{
		{"length-and-chunked", []qpack.HeaderField{{Name: "content-length", Value: "2"}, {Name: "transfer-encoding", Value: "chunked"}}},
		{"huge-head", append(slices.Repeat([]qpack.HeaderField{padding}, 65), qpack.HeaderField{Name: "content-length", Value: "2"})},
	} {
		got, err := io.ReadAll(ask(t, conn, "GET", "/fault/"+test.kind))
		if err != nil {
			t.Fatalf("%s: %v", test.kind, err)
		}
		in := bytes.NewReader(got)
		kind, _ := quicvarint.Read(in)
		length, _ := quicvarint.Read(in)
		head, rest := got[len(got)-in.Len():], ""
		head, rest = head[:length], string(head[length:])
		want := append([]qpack.HeaderField{{Name: ":status", Value: "200"}}, test.fields...)
		if diff := cmp.Diff(want, fieldsOf(t, head)); kind != headersFrame || diff != "" || rest != okFrame {
			t.Errorf("%s: frame of type %d, then %q; fields -want +got\n%s", test.kind, kind, rest, diff)
		}
	}
}

func fieldsOf(t *testing.T, section []byte) (fields []qpack.HeaderField) {
	t.Helper()
	next := qpack.NewDecoder().Decode(section)
	for {
		field, err := next()
		if err == io.EOF {
			return fields
		}
		if err != nil {
			t.Fatal(err)
		}
		fields = append(fields, field)
	}
}

// The first requests of a connection are answered well, of the others so many as
// the share says, and a stream that is reset leaves its connection alone.
func TestStreamMisbehaviourOptions(t *testing.T) {
	cfg := quicConfigOf(t)
	server := start(t, cfg)
	got := ""
	for range 2 {
		conn := dialQUIC(t, cfg, server)
		for range 5 {
			answer, err := io.ReadAll(ask(t, conn, "GET", "/fault/rst-before?after=2&share=0.5"))
			switch {
			case err == nil && strings.HasSuffix(string(answer), okFrame):
				got += "."
			case isReset(err):
				got += "x"
			default:
				t.Fatalf("answer %q, %v", answer, err)
			}
		}
	}
	// Two of each connection are spared. Of the six others, 1 to 3 and 4 to 6, half
	// of n grows at 2, 4 and 6.
	if want := "...x...x.x"; got != want {
		t.Errorf("picked %s, want %s", got, want)
	}
}

// An answer never comes faster than its pace.
func TestSlowStreamIsSlow(t *testing.T) {
	cfg := quicConfigOf(t)
	conn := dialQUIC(t, cfg, start(t, cfg))
	before := time.Now()
	all, err := io.ReadAll(ask(t, conn, "GET", "/fault/slow?every=2ms"))
	if took, least := time.Since(before), time.Duration(len(all)-1)*2*time.Millisecond; err != nil || len(all) != len(headOf2+okFrame) || took < least {
		t.Errorf("%d bytes in %s, %v; want %d in at least %s", len(all), took, err, len(headOf2+okFrame), least)
	}
}

// A held stream is let go when its client gives it up.
func TestHeldStreamIsGivenUp(t *testing.T) {
	cfg := quicConfigOf(t)
	server := start(t, cfg)
	stream := ask(t, dialQUIC(t, cfg, server), "GET", "/fault/stall-in-body")
	if _, err := stream.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	stream.CancelRead(0x10c) // H3_REQUEST_CANCELLED
	buf := make([]byte, 1<<20)
	for deadline := time.Now().Add(5 * time.Second); strings.Contains(string(buf[:runtime.Stack(buf, true)]), ".takeStream("); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatal("it is held for nobody")
		}
	}
}

// What the end cuts off does not look like the end that a misbehaviour has by
// itself, a FIN.
func TestEndResetsHeldStreams(t *testing.T) {
	cfg := quicConfigOf(t)
	server := start(t, cfg)
	ends := make(chan error)
	kinds := []string{"stall-in-body", "slow?every=1s"}
	for _, kind := range kinds {
		stream := ask(t, dialQUIC(t, cfg, server), "GET", "/fault/"+kind)
		if _, err := stream.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		go func() { // now: the connection's end would hide that of the stream
			_, err := io.Copy(io.Discard, stream)
			ends <- err
		}()
	}
	server.cancel()
	for range kinds {
		if err := <-ends; err == nil {
			t.Error("ended with FIN, want a reset")
		}
	}
	if err := server.wait(t); err != nil {
		t.Error(err)
	}
}

// What is answered well or refused, on a connection that lives on.
func TestStreamMisbehaviourAnswers(t *testing.T) {
	cfg := quicConfigOf(t)
	server := start(t, cfg)
	client := quicClient(t, cfg)
	for _, test := range []struct {
		method, path string
		status       int
		body         string // part of it
	}{
		{"GET", "/fault/status/200", 200, "ok"},
		{"GET", "/fault/status/204", 204, ""},
		{"GET", "/fault/status/304", 304, ""},
		{"GET", "/fault/status/503", 503, "ok"},
		{"GET", "/fault/garbage?share=0", 200, "ok"},
		{"GET", "/fault/close-after", 404, "/fault/close-after is there with HTTP/1.1 in cleartext only\n"},
		{"GET", "/fault/bad-chunk", 404, "/fault/bad-chunk is there with HTTP/1.1 in cleartext only\n"},
		{"GET", "/fault/http10-close?share=0", 404, "/fault/http10-close is there with HTTP/1.1 in cleartext only\n"},
		{"GET", "/fault", 404, `fault "": expected one of close-before, close-in-head`},
		{"GET", "/fault/status/99", 404, `fault status "99": expected 200 to 599`},
		{"GET", "/fault/garbage?afer=1", 400, `fault option "afer": expected after, share or every`},
		{"GET", "/fault/garbage?share=10%25", 400, `fault share="10%"`},
		{"GET", "/fault/slow?every=2s", 400, `fault every="2s"`},
		{"POST", "/fault/garbage", 405, "allowed are GET"},
		{"HEAD", "/fault/garbage", 405, ""},
		{"GET", "/proxy/x", 404, "/proxy/x is there in cleartext only, and this server speaks TLS\n"},
		{"GET", "/cache-hit", 404, "/cache-hit is there in cleartext only, and this server speaks TLS\n"},
	} {
		t.Run(test.method+" "+test.path, func(t *testing.T) {
			resp, body := getBy(t, client, test.method, server.url+test.path, nil)
			if resp.StatusCode != test.status || !strings.Contains(string(body), test.body) || (test.body == "") != (len(body) == 0) {
				t.Errorf("status %d, body %q; want %d, %q in it", resp.StatusCode, body, test.status, test.body)
			}
		})
	}
}

var errReset = errors.New("reset of the stream")

// isReset tells whether the server has reset the stream.
func isReset(err error) bool {
	var reset *quic.StreamError
	return errors.As(err, &reset) && reset.Remote && reset.ErrorCode == 0x102 // H3_INTERNAL_ERROR
}

// readStream reads to the end of a stream. A held one must stay open and silent
// while it is looked at.
func readStream(t *testing.T, stream *quic.Stream, expected int, held bool) (got string, end error) {
	t.Helper()
	if !held {
		all, err := io.ReadAll(stream)
		if err == nil {
			err = io.EOF
		}
		return string(all), err
	}
	buf := make([]byte, expected)
	if n, err := io.ReadFull(stream, buf); err != nil {
		return string(buf[:n]), err
	}
	stream.SetReadDeadline(time.Now().Add(holdLook))
	if n, err := stream.Read(make([]byte, 1)); err == nil || n > 0 {
		t.Errorf("held stream: %d bytes, %v", n, err)
	}
	return string(buf), nil
}
