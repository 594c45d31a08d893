package h3

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/quic-go/qpack"
	"golang.org/x/net/http2/hpack"
)

// decoded is what qpack makes of a section, and the answer that its fields come
// to. ok is false when qpack cannot decode it, or when its fields are malformed
// by the rules of RFC 9114 section 4.
func decoded(section []byte) (a answer, ok bool) {
	next := qpack.NewDecoder().Decode(section)
	a.lengthBytes = -1
	for regular := false; ; {
		f, err := next()
		if errors.Is(err, io.EOF) && len(section) >= 2 { // qpack takes half a prefix for an end
			return a, true
		}
		if err != nil {
			return answer{}, false
		}
		switch n, err := strconv.ParseUint(f.Value, 10, 63); {
		case f.Name == ":status":
			if regular || err != nil || len(f.Value) != 3 || n < 100 || a.status != 0 {
				return answer{}, false
			}
			a.status = uint16(n)
		case f.IsPseudo():
			return answer{}, false
		case f.Name == "content-length":
			if err != nil || a.lengthBytes >= 0 && a.lengthBytes != int64(n) {
				return answer{}, false
			}
			a.lengthBytes = int64(n)
			fallthrough
		default:
			regular = true
			if !validName(f.Name) {
				return answer{}, false
			}
		}
	}
}

// validName is what a response's field may be called.
func validName(name string) bool {
	ok := name != "" && !slices.Contains([]string{"connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"}, name)
	for _, o := range []byte(name) {
		ok = ok && o > ' ' && o < 0x7f && o != ':' && (o < 'A' || o > 'Z')
	}
	return ok
}

// againstDecoder holds a section against qpack's decoder.
func againstDecoder(t *testing.T, section []byte) {
	t.Helper()
	want, ok := decoded(section)
	if got, fault := sectionOf(section); got != want || fault.Bad() == ok {
		t.Errorf("% x: %+v, %+v; by qpack %+v, %v", section, got, fault, want, ok)
	}
}

// Every line of the static table, alone and as the name of another value.
func TestStaticTable(t *testing.T) {
	for index := range uint64(staticLines + 1) {
		againstDecoder(t, appendPrefixed([]byte{0, 0}, 0xc0, 6, index))
		for _, value := range []string{"", "200", "77", "a"} {
			named := appendPrefixed([]byte{0, 0}, 0x50, 4, index)
			againstDecoder(t, append(append(named, byte(len(value))), value...))
			againstDecoder(t, hpack.AppendHuffmanString(append(named, 0x80|byte(hpack.HuffmanEncodeLength(value))), value))
		}
	}
	if _, _, ok := staticLine(staticLines); ok {
		t.Errorf("line %d is in the static table", staticLines)
	}
}

func TestStatuses(t *testing.T) {
	for n := range 1001 {
		value := fmt.Sprintf("%03d", n)
		againstDecoder(t, section(":status", value))
		againstDecoder(t, plain(":status", value))
	}
	wantAnswer(t, section(":status", "200"), answer{status: 200, lengthBytes: -1})
	wantAnswer(t, plain(":status", "599", "content-length", "12"), answer{status: 599, lengthBytes: 12})
}

// Sections by chance, from fields that matter and some that do not.
func TestSectionsAgainstDecoder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	names := []string{":status", "content-length", "server", "date", "x-a", "x-long-name-that-is-in-no-table", "upgrade", "X", ":path"}
	weights := []int{40, 20, 20, 20, 20, 20, 1, 1, 1}
	values := []string{"200", "304", "0", "007", "12345678901", "a b", "", "9223372036854775808"}
	pick := func() string {
		n := random.IntN(143) // their sum
		i := 0
		for ; n >= weights[i]; i++ {
			n -= weights[i]
		}
		return names[i]
	}
	accepted := 0
	for range 20_000 {
		pairs := []string{":status", "200"}[:2*random.IntN(2)]
		for range random.IntN(4) {
			pairs = append(pairs, pick(), values[random.IntN(len(values))])
		}
		encode := section
		if random.IntN(2) == 0 {
			encode = plain
		}
		b := encode(pairs...)
		againstDecoder(t, b)
		againstDecoder(t, b[:random.IntN(len(b))]) // cut short
		if _, ok := decoded(b); ok {
			accepted++
		}
	}
	if accepted < 3000 || accepted > 17_000 {
		t.Errorf("%d of 20000 sections are well formed, which tests little", accepted)
	}
}

// Representations by their bits, RFC 9204 section 4.5.
func TestRepresentations(t *testing.T) {
	ok := answer{status: 200, lengthBytes: -1}
	lines := func(b ...byte) []byte { return append([]byte{0, 0, 0xc0 | 25}, b...) }
	for _, b := range [][]byte{
		lines(),
		{0, 0x7f, 0xff, 0xff, 0x03, 0xc0 | 25}, // any Base
		lines(0xff, 98-63),                     // static line 98, whose index goes on behind the prefix
		lines(0x50|12, 1, 'a'),                 // location
		lines(0x70|12, 1, 'a'),                 // never indexed
		lines(0x5f, 92-15, 1, 'a'),             // server
		lines(0x20|1, 'x', 0),
		lines(0x30|1, 'x', 0), // never indexed
		lines(append([]byte{0x27, 8 - 7}, append([]byte("x-longer"), 1, 'a')...)...),
		lines(0x50|12, 0x80|1, 0xff), // bad Huffman in a value that nobody reads
		lines(0x28|1, 0x1f, 0),       // a Huffman-coded name: 00011 is "a", 111 the padding
	} {
		wantAnswer(t, b, ok)
	}
	dynamic := connectionFault(QPACKDecompressionFailed, "field section refers to the dynamic table, which is off")
	for _, b := range [][]byte{
		{1, 0, 0xc0 | 25},        // Required Insert Count
		{0xff, 0, 0, 0xc0 | 25},  // 255 of them
		lines(0x80),              // indexed
		lines(0x10), lines(0x1f), // indexed, behind the Base
		lines(0x40, 0), lines(0x60, 0), // name of the dynamic table
		lines(0x00, 0), lines(0x08, 0), // and behind the Base
	} {
		wantFault(t, b, dynamic)
	}
	broken := connectionFault(QPACKDecompressionFailed, "field section that cannot be decoded")
	for _, b := range [][]byte{
		{}, {0}, {0xff}, {0, 0x7f}, {0, 0x7f, 0x80},
		{0, 0x80, 0xc0 | 25},            // a negative Base
		lines(0xff), lines(0xff, 99-63), // no line 99
		lines(0xff, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00), // 10 bytes behind the prefix
		lines(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f),       // above 62 bits
		lines(0x5f), lines(0x5f, 99-15, 0), lines(0x50 | 12),
		lines(0x50|12, 2, 'a'), lines(0x50|12, 0x7f),
		lines(0x21), lines(0x21, 'x'), lines(0x22, 'x'), lines(0x27), lines(0x21, 'x', 1),
		lines(0x28|1, 0x00, 0),                            // a name whose padding is not of ones
		lines(0x28|4, 0xff, 0xff, 0xff, 0xff, 0),          // EOS
		lines(0x50|4, 0x80|1, 0x00),                       // content-length, in bad Huffman
		{0, 0, 0x5f, 24 - 15, 0x80 | 1, 0x00},             // :status
		{0, 0, 0x20 | 7, 0, ':', 's', 't', 'a', 't', 'u'}, // the name is cut
	} {
		wantFault(t, b, broken)
	}
}

// Field names, RFC 9114 sections 4.2 and 4.3.
func TestKindOf(t *testing.T) {
	for name, want := range map[string]lineKind{
		":status": kindStatus, "content-length": kindLength, "te": kindRegular, "!#$%&'*+-.^_`|~09az": kindRegular, "upgrade-insecure-requests": kindRegular,
		":": kindPseudo, ":path": kindPseudo, ":Status": kindPseudo, ":status ": kindPseudo,
		"connection": kindConnection, "keep-alive": kindConnection, "proxy-connection": kindConnection, "transfer-encoding": kindConnection, "upgrade": kindConnection,
		"": kindEmpty, "Content-length": kindUpperCase, "aZ": kindUpperCase, "a:Z": kindInvalid, "a b": kindInvalid, "a\x00": kindInvalid, "a\x7f": kindInvalid, "\xc3\xa9": kindInvalid, "status:": kindInvalid,
	} {
		if got := kindOf([]byte(name)); got != want {
			t.Errorf("%q: %d, want %d", name, got, want)
		}
	}
}

// Integers against what wrote them, at every width of a prefix.
func TestPrefixed(t *testing.T) {
	for prefixBits := uint(3); prefixBits <= 8; prefixBits++ {
		prefixMax := uint64(1)<<prefixBits - 1
		for _, n := range []uint64{0, 1, prefixMax - 1, prefixMax, prefixMax + 127, prefixMax + 128, 1 << 20, 1<<32 + 5, maxVarint} {
			b := appendPrefixed(nil, 0, prefixBits, n)
			if got, rest, ok := cutPrefixed(append(b, 7), prefixBits); got != n || !ok || !bytes.Equal(rest, []byte{7}) {
				t.Errorf("%d in % x: %d, % x, %v", n, b, got, rest, ok)
			}
			if _, _, ok := cutPrefixed(b[:len(b)-1], prefixBits); ok {
				t.Errorf("%d is read from % x", n, b[:len(b)-1])
			}
		}
		b := appendPrefixed(nil, 0, prefixBits, maxVarint+1)
		if n, _, ok := cutPrefixed(b, prefixBits); ok {
			t.Errorf("% x: %d, which has more than 62 bits", b, n)
		}
	}
}
