package h2

import "testing"

// benchmarkExchange is a round of exchanges on one connection, Start to Done; the
// time is that of one exchange, writing its response included.
func benchmarkExchange(b *testing.B, streams int) {
	cfg := testConfig(b)
	cfg.Streams = streams
	r := newRing(b, cfg)
	b.ReportAllocs()
	rounds := 0
	for b.Loop() {
		r.run(b, r.block)
		rounds++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rounds*streams), "ns/exchange")
}

func BenchmarkExchange1(b *testing.B)  { benchmarkExchange(b, 1) }
func BenchmarkExchange10(b *testing.B) { benchmarkExchange(b, 10) }
