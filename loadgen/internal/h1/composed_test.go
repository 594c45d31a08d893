package h1

import (
	"math/rand/v2"
	"testing"

	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

// TestComposedResponses runs both properties over responses put together at
// random from parts that are right, odd or wrong. Mutated bytes seldom get past
// the status line; these mostly do. The seed is fixed, so that a failure can be
// repeated.
func TestComposedResponses(t *testing.T) {
	random := rand.New(rand.NewPCG(9112, 9110))
	accepted := 0
	for range 20_000 {
		data, toHEAD := compose(random), random.IntN(8) == 0
		checkAgainstNetHTTP(t, data, toHEAD)
		cuts := make([]byte, random.IntN(12))
		for i := range cuts {
			cuts[i] = byte(random.IntN(1 + random.IntN(40)))
		}
		checkSplit(t, data, cuts, toHEAD, random.IntN(2) == 0)
		if got := deliver(t, toHEAD, string(data), delivery{}); got.outcome != exchange.ProtocolError {
			accepted++
		}
	}
	// Parts that nearly all fail, or none, would test one side only.
	if accepted < 4_000 || accepted > 16_000 {
		t.Errorf("%d of 20000 composed responses have no fault, want 4000 to 16000", accepted)
	}
}

var (
	composedStatus = []string{"HTTP/1.1 200 OK", "HTTP/1.1 200 OK", "HTTP/1.0 200 OK", "HTTP/1.1 204", "HTTP/1.1 304 x", "HTTP/1.1 500 ", "HTTP/1.1 777 y"}
	composedFields = []string{
		"Content-Length: 3", "Content-Length: 3", "content-length:03", "Content-Length: 3 ,3", "Content-Length: 0", "Content-Length: 4",
		"Transfer-Encoding: chunked", "Transfer-Encoding: chunked", "transfer-encoding:\tCHUNKED ", "Transfer-Encoding: gzip",
		"Connection: close", "connection: Keep-Alive", "Connection: x,close ,", "Connection: closed", "Connection:",
		"X: a\tb\xff", "Trailer: X", "Server: x", "Date: now", "X_y!: z", "X : y", "X: \x01", " X: y",
	}
	composedBodies = []string{
		"", "abc", "abc", "abcd", "3\r\nabc\r\n0\r\n\r\n", "3\r\nabc\r\n0\r\n\r\n", "0\r\nX: y\r\n\r\n", "1;x=y\r\na\r\n02 ;z\r\nbc\r\n0\r\n\r\n",
		"3\r\nabc\r\n", "g\r\n", "3\nabc\r\n0\r\n\r\n", "0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
	}
)

// compose puts a response together: maybe interim ones, then a head with up to
// four fields, then something like a body.
func compose(random *rand.Rand) []byte {
	pick := func(parts []string) string { return parts[random.IntN(len(parts))] }
	lineEnd := func() string {
		if random.IntN(30) == 0 {
			return "\n"
		}
		return "\r\n"
	}
	var b []byte
	for range random.IntN(3) / 2 * (1 + random.IntN(2)) {
		b = append(b, "HTTP/1.1 103 Early"+lineEnd()+pick(composedFields)+lineEnd()+lineEnd()...)
	}
	b = append(b, pick(composedStatus)+lineEnd()...)
	for range random.IntN(5) {
		b = append(b, pick(composedFields)+lineEnd()...)
	}
	return append(b, lineEnd()+pick(composedBodies)...)
}
