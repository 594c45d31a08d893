package h3

import "testing"

// BenchmarkResponse is a small response in one piece, Begin to End, whose field
// section is known.
func BenchmarkResponse(b *testing.B) {
	var heads Heads
	var r Response
	small := smallResponse()
	b.ReportAllocs()
	for b.Loop() {
		exchanged(b, &heads, &r, 200, small)
	}
}

// BenchmarkNewSection is what reading its field section costs when it is not.
func BenchmarkNewSection(b *testing.B) {
	var reader sectionReader
	_, payloads := framesOf(b, smallResponse())
	b.ReportAllocs()
	for b.Loop() {
		if a, fault := reader.read(payloads[0]); fault.Bad() || a.status != 200 {
			b.Fatalf("%+v, %+v", a, fault)
		}
	}
}
