package h1

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

// FuzzResponse holds the codec against net/http's reader of responses: what
// both accept they must read alike, and what the codec accepts net/http must
// accept too, except for what lenient lists.
func FuzzResponse(f *testing.F) {
	for _, r := range seeds() {
		f.Add([]byte(r.bytes), r.toHEAD)
	}
	f.Fuzz(checkAgainstNetHTTP)
}

// seeds are the table's rows, less the few that fill a bound: too long to
// mutate with profit.
func seeds() []response {
	return slices.DeleteFunc(slices.Concat(goodResponses, hostileResponses), func(r response) bool { return len(r.bytes) > 1000 })
}

func checkAgainstNetHTTP(t *testing.T, data []byte, toHEAD bool) {
	got := deliver(t, toHEAD, string(data), delivery{})
	if got.outcome != exchange.OK && got.outcome != exchange.BadStatus {
		return
	}
	want, err := readByNetHTTP(data, toHEAD)
	if err != nil {
		if !lenient(data, err) {
			t.Fatalf("%q: codec reads %+v, net/http refuses: %v", data, got, err)
		}
		return
	}
	want.outcome = got.outcome // net/http expects nothing
	if got != want {
		t.Fatalf("%q: codec reads %+v, net/http %+v", data, got, want)
	}
}

// readByNetHTTP reads the final response and its body.
func readByNetHTTP(data []byte, toHEAD bool) (result, error) {
	request := &http.Request{Method: "GET"}
	if toHEAD {
		request.Method = "HEAD"
	}
	r := bufio.NewReader(bytes.NewReader(data))
	for {
		response, err := http.ReadResponse(r, request)
		if err != nil {
			return result{}, err
		}
		if response.StatusCode/100 == 1 {
			continue
		}
		n, err := io.Copy(io.Discard, response.Body)
		return result{status: uint16(response.StatusCode), bodyBytes: n, reusable: !response.Close}, err
	}
}

// lenient reports whether net/http may refuse what the codec accepts.
func lenient(data []byte, err error) bool {
	text := err.Error()
	switch {
	case strings.Contains(text, "bad Content-Length"):
		// A list of equal values, which RFC 9112 section 6.3 allows.
		return bytes.Contains(data, []byte(","))
	case strings.Contains(text, "message cannot contain multiple Content-Length headers"):
		// Equal values that are written differently, such as 5 and 05.
		return bytes.Count(bytes.ToLower(data), []byte("content-length")) > 1
	case strings.Contains(text, "invalid byte in chunk length"):
		// Whitespace between chunk size and extension, to be removed by RFC
		// 9110 section 5.6.3.
		return bytes.Contains(data, []byte(" ;")) || bytes.Contains(data, []byte("\t;"))
	case strings.Contains(text, "bad trailer key"):
		// A Trailer field that announces what it must not (RFC 9110 section
		// 6.6.2); the codec discards trailers unread.
		return true
	case strings.Contains(text, "header line too long"), strings.Contains(text, "suspiciously long trailer"),
		strings.Contains(text, "too much non-data"):
		// Bounds of net/http that are tighter than the codec's.
		return len(data) > 4000
	}
	return false
}

// FuzzSplit holds any split of the bytes, with and without skipping, with a
// cold and a warm cache of heads, against the bytes in one piece.
func FuzzSplit(f *testing.F) {
	for i, r := range seeds() {
		f.Add([]byte(r.bytes), []byte{byte(i), 1, byte(3 * i)}, r.toHEAD, i%2 == 0)
	}
	f.Fuzz(checkSplit)
}

func checkSplit(t *testing.T, data, cuts []byte, toHEAD, skips bool) {
	pieces := make([]int, len(cuts))
	for i, cut := range cuts {
		pieces[i] = int(cut) // zero is an empty Feed
	}
	heads := new(Heads)
	want := deliver(t, toHEAD, string(data), delivery{heads: heads})
	again := deliver(t, toHEAD, string(data), delivery{heads: heads})
	if again != want {
		t.Fatalf("%q: cold cache %+v, warm cache %+v", data, want, again)
	}
	got := deliver(t, toHEAD, string(data), delivery{heads: heads, pieces: pieces, skips: skips})
	if got != want {
		t.Fatalf("%q: in pieces of %v %+v, whole %+v", data, pieces, got, want)
	}
}
