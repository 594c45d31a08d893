package hdr

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"io"
	"os"
	"strings"
	"testing"
)

// reference is the histogram that testdata/java-2.2.2-v2.b64 holds: the V2
// encoding (before compression) that HdrHistogram for Java, version 2.2.2,
// makes of the same values in a Histogram(1, 3600000000000, 3).
func reference() *Histogram {
	h := New(Fine)
	v := int64(1)
	for i := range int64(5000) {
		h.Record(v)
		v = (v*1103515245 + 12345) % (1 << 31)
		if i%7 == 0 {
			for range 3 {
				h.Record(i*977 + 1)
			}
		}
	}
	h.Record(MaxNS)
	h.Record(0)
	return h
}

func TestEncodingIsThatOfJava(t *testing.T) {
	file, err := os.ReadFile("testdata/java-2.2.2-v2.b64")
	if err != nil {
		t.Fatal(err)
	}
	want, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(file)))
	if err != nil {
		t.Fatal(err)
	}
	h := reference()
	text, err := h.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if got := payload(t, text); !bytes.Equal(got, want) {
		t.Errorf("%d bytes, Java has %d; first difference at %d", len(got), len(want), firstDifference(got, want))
	}
	// And as Java reads them: 7147 values (5000 + 3 for each of 715 multiples
	// of 7 + 2), the median 622329855 ns, p99 2117074943 ns.
	if h.Count() != 7147 {
		t.Errorf("count %d", h.Count())
	}
	for q, want := range map[float64]int64{0.5: 622_329_855, 0.99: 2_117_074_943} {
		if got, ok := h.QuantileNS(q); !ok || got != want {
			t.Errorf("quantile %v is %d, in Java %d", q, got, want)
		}
	}
}

// payload undoes the base64 and the compression: a cookie (0x1c849304, V2 with
// compression), the length of what follows, and zlib data.
func payload(t *testing.T, text string) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	if cookie := binary.BigEndian.Uint32(b); cookie != 0x1c849304|0x10 {
		t.Errorf("cookie %#x", cookie)
	}
	if n := binary.BigEndian.Uint32(b[4:]); int(n) != len(b)-8 {
		t.Errorf("length %d, %d bytes follow", n, len(b)-8)
	}
	z, err := zlib.NewReader(bytes.NewReader(b[8:]))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

func TestPercentilesAsText(t *testing.T) {
	h := New(Fine)
	for range 3 {
		h.Record(2_000_000) // 2 ms
	}
	h.Record(8_000_000)
	var out strings.Builder
	if err := h.WritePercentiles(&out); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, part := range []string{"Value", "Percentile", "TotalCount", "1/(1-Percentile)", "2.0", "0.75", "8.0", "#[Mean"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
}
