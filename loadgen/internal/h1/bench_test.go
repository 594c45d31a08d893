package h1

import (
	"testing"

	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

func benchmarkFeed(b *testing.B, heads *Heads, response string) {
	r := newRing(b, heads)
	bytes := []byte(response)
	b.SetBytes(int64(len(bytes)))
	b.ReportAllocs()
	for b.Loop() {
		if r.exchange(bytes, len(bytes)) != exchange.OK {
			b.Fatal("not ok")
		}
	}
}

// BenchmarkFeedSmall is a whole exchange, Start to Done, with a remembered head.
func BenchmarkFeedSmall(b *testing.B) { benchmarkFeed(b, new(Heads), smallResponse) }

// BenchmarkFeedMiss is the same with a head that is parsed each time, as when
// every response has a number of its own.
func BenchmarkFeedMiss(b *testing.B) {
	heads := new(Heads)
	for i := range rememberedHeads {
		heads.remember(numberedHead(i), answer{})
	}
	r := newRing(b, heads)
	bytes := []byte(smallResponse)
	number := len("HTTP/1.1 200 OK\r\nServer: ")
	b.SetBytes(int64(len(bytes)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		for d, n := 0, i; d < 5; d, n = d+1, n/26 { // another server name each time
			bytes[number+d] = 'a' + byte(n%26)
		}
		if r.exchange(bytes, len(bytes)) != exchange.OK {
			b.Fatal("not ok")
		}
	}
}

// BenchmarkFeedChunked is a body in two chunks behind a remembered head.
func BenchmarkFeedChunked(b *testing.B) { benchmarkFeed(b, new(Heads), chunkedResponse) }
