package h2

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

// blocksSent starts one exchange and returns its block, over all its frames,
// with their sizes.
func (p *peer) blocksSent() (block []byte, sizes []int) {
	p.t.Helper()
	p.start(1)
	p.receive()
	b := p.arrived.Bytes()
	for len(b) > 0 {
		f := parseFrame(b)
		payload := b[frameHeaderBytes : frameHeaderBytes+f.length]
		b = b[frameHeaderBytes+f.length:]
		if f.typ == http2.FrameHeaders || f.typ == http2.FrameContinuation {
			block = append(block, payload...)
			sizes = append(sizes, f.length)
			if last := len(b) == 0; f.flags.Has(flagEndHeaders) != last {
				p.t.Fatalf("END_HEADERS of frame %d is %v", len(sizes), !last)
			}
		}
	}
	p.arrived.Reset()
	return block, sizes
}

// The request's fields go into the server's table once, and are referred to
// from then on. What comes out of the server's decoder is always the same.
func TestRequestBlocks(t *testing.T) {
	cfg := testConfig(t)
	cfg.Streams = 10
	cfg.Request = testRequest(t, func(s *RequestSpec) {
		s.Header = append(s.Header, Field{"Authorization", "secret"}, Field{"Cookie", "c=d"})
	})
	want := []hpack.HeaderField{
		{Name: ":method", Value: "GET"}, {Name: ":scheme", Value: "https"}, {Name: ":authority", Value: "target"}, {Name: ":path", Value: "/x?y"},
		{Name: "user-agent", Value: "scalbench"},
		{Name: "authorization", Value: "secret", Sensitive: true}, {Name: "cookie", Value: "c=d", Sensitive: true},
	}
	p := accept(t, cfg)
	server := hpack.NewDecoder(4096, nil)
	var blocks [][]byte
	for range 3 {
		block, _ := p.blocksSent()
		fields, err := server.DecodeFull(block)
		if err != nil || !slices.Equal(fields, want) {
			t.Fatalf("%v, %v", fields, err)
		}
		blocks = append(blocks, block)
	}
	// Indexed: 2 (GET), 7 (https), 62 + 2 (:authority, first of three into the table),
	// 62 + 1, 62 (user-agent). Then never indexed, with the name of entry 23
	// (15 + 8) and 32 (15 + 17) in 4 bits and what is above.
	repeat := []byte{0x82, 0x87, 0x80 | 64, 0x80 | 63, 0x80 | 62, 0x1f, 8}
	if isNeutral(blocks[0]) || !isNeutral(blocks[1]) || !bytes.HasPrefix(blocks[1], repeat) || !bytes.Equal(blocks[1], blocks[2]) {
		t.Errorf("blocks % x", blocks)
	}
	// 32 for each entry, names and values: (10 + 6) + (5 + 4) + (10 + 9) + 3*32
	if cfg.Request.tableBytes != 140 {
		t.Errorf("tableBytes = %d, want 140", cfg.Request.tableBytes)
	}
}

func TestServerTableSize(t *testing.T) {
	const fits = 42 + 32 + 5 + 4 + 10 + 6 + 32 + 9 // of testRequest: 140, as above
	for _, test := range []struct {
		name   string
		early  []uint32 // SETTINGS_HEADER_TABLE_SIZE before the first request
		late   []uint32 // and between the first and the second
		update [3]int64 // that the requests begin with; -1: none
		plain  [3]bool  // that they do without the table
	}{
		{"default", nil, nil, [3]int64{-1, -1, -1}, [3]bool{}},
		{"larger", []uint32{65536}, []uint32{1 << 31}, [3]int64{-1, -1, -1}, [3]bool{}},
		{"none", []uint32{0}, nil, [3]int64{0, -1, -1}, [3]bool{true, true, true}},
		{"none, later", nil, []uint32{0}, [3]int64{-1, 0, -1}, [3]bool{false, true, true}},
		{"just enough", nil, []uint32{140}, [3]int64{-1, 140, -1}, [3]bool{}},
		{"just enough, early", []uint32{140}, nil, [3]int64{140, -1, -1}, [3]bool{}},
		{"one too small", nil, []uint32{139}, [3]int64{-1, 139, -1}, [3]bool{false, true, true}},
		{"down and up", nil, []uint32{0, 4096}, [3]int64{-1, 0, -1}, [3]bool{false, true, true}}, // the smallest has to be said
		{"twice", []uint32{1000}, []uint32{200}, [3]int64{1000, 200, -1}, [3]bool{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg := testConfig(t)
			cfg.Streams = 3
			p := accept(t, cfg)
			server := hpack.NewDecoder(4096, nil)
			p.settings()
			sends := func(sizes []uint32) {
				for _, n := range sizes {
					p.settings(http2.Setting{ID: http2.SettingHeaderTableSize, Val: n})
					server.SetAllowedMaxDynamicTableSize(n)
				}
				p.send()
			}
			sends(test.early)
			for i := range 3 {
				if i == 1 {
					sends(test.late)
				}
				block, _ := p.blocksSent()
				var update []byte
				if test.update[i] >= 0 {
					update = appendSizeUpdate(nil, uint32(test.update[i]))
				}
				if fields, err := server.DecodeFull(block); err != nil || len(fields) != 5 {
					t.Fatalf("request %d: %v, %v", i, fields, err)
				}
				rest, found := bytes.CutPrefix(block, update)
				want := cfg.Request.repeat.fields()
				switch {
				case test.plain[i]:
					want = cfg.Request.plain.fields()
				case i == 0:
					want = cfg.Request.first.fields()
				}
				if !found || !bytes.Equal(rest, want) {
					t.Errorf("request %d: % x, want % x and % x", i, block, update, want)
				}
			}
		})
	}
	if got := testRequest(t, nil).tableBytes; got != fits {
		t.Errorf("tableBytes = %d, want %d", got, fits)
	}
}

// The size update's integer, against the decoder's reading of it.
func TestSizeUpdate(t *testing.T) {
	for _, n := range []uint32{0, 30, 31, 32, 158, 159, 4096, 1<<31 - 1} {
		d := hpack.NewDecoder(0, nil)
		d.SetAllowedMaxDynamicTableSize(n)
		if _, err := d.DecodeFull(appendSizeUpdate(nil, n)); err != nil {
			t.Errorf("%d: %v", n, err)
		}
		if n > 0 {
			d.SetAllowedMaxDynamicTableSize(n - 1)
			if _, err := d.DecodeFull(appendSizeUpdate(nil, n)); err == nil {
				t.Errorf("%d is read as less", n)
			}
		}
	}
}

// A request whose fields are larger than the table does without it, and one
// larger than a frame goes on in CONTINUATION.
func TestLargeRequest(t *testing.T) {
	for _, test := range []struct {
		maxFrame uint32
		sizes    func(total int) []int
	}{
		{0, func(n int) []int { return []int{16384, 16384, n - 2*16384} }},
		{20000, func(n int) []int { return []int{20000, n - 20000} }},
		{1 << 20, func(n int) []int { return []int{n} }},
	} {
		cfg := posting(t, 1)
		cfg.Request = testRequest(t, func(s *RequestSpec) {
			s.Method, s.Body = "POST", []byte("a")
			for i := range 12 { // each fits into a table of 4096 bytes, all do not
				s.Header = append(s.Header, Field{fmt.Sprint("x-", i), string(make4K()[:3000])})
			}
		})
		p := accept(t, cfg)
		p.settings()
		if test.maxFrame > 0 {
			p.settings(http2.Setting{ID: http2.SettingMaxFrameSize, Val: test.maxFrame})
		}
		p.send()
		p.receive()
		p.arrived.Reset()
		x := new(exchange.Exchange)
		p.c.Start(x, 1, false)
		p.receive()
		var sizes []int
		for b := bytes.Clone(p.arrived.Bytes()); len(b) > 0; {
			f := parseFrame(b)
			if f.typ != http2.FrameData {
				sizes = append(sizes, f.length)
			}
			b = b[frameHeaderBytes+f.length:]
		}
		total := len(cfg.Request.plain.fields())
		if want := test.sizes(total); !slices.Equal(sizes, want) {
			t.Errorf("MAX_FRAME_SIZE %d: frames of %d bytes, want %d", test.maxFrame, sizes, want)
		}
		p.wants("HEADERS 1 POST /x?y", "DATA 1 1 end") // the framer puts it together
	}
}

func TestIsNeutral(t *testing.T) {
	long := strings.Repeat("~", 300)
	for _, test := range []struct {
		name  string
		block []byte
		want  bool
	}{
		{"empty", nil, true},
		{"indexed", []byte{0x88, 0x80 | 62}, true},
		{"indexed, long", []byte{0xff, 0x80, 0x01}, true}, // 127 + 0 + 1<<7
		{"without indexing, named", append([]byte{0x08, 3}, "200"...), true},
		{"without indexing, new name", append([]byte{0x00, 1, 'x', 3}, "abc"...), true},
		{"without indexing, long", append([]byte{0x0f, 7, 0x7f, 300 - 127 - 128 | 0x80, 1}, long...), true}, // 127 + 45 + 1<<7
		{"never indexed", []byte{0x10, 1, 'x', 0}, true},
		{"value like a literal with indexing", []byte{0x00, 1, 0x40, 1, 0x20, 0x88}, true},
		{"incremental, named", append([]byte{0x48, 3}, "200"...), false},
		{"incremental, new name", []byte{0x40, 1, 'x', 1, 'y'}, false},
		{"incremental at the end", []byte{0x88, 0x10, 1, 'x', 0, 0x7f}, false},
		{"size update", []byte{0x20, 0x88}, false},
		{"size update like a literal", []byte{0x21, 0}, false},
		{"size update, long", []byte{0x3f, 0xe1, 0x1f}, false},
		{"cut in an integer", []byte{0xff, 0x80}, false},
		{"cut before a string", []byte{0x00, 1, 'x'}, false},
		{"cut in a string", []byte{0x00, 1, 'x', 2, 'y'}, false},
		{"endless integer", append([]byte{0xff}, bytes.Repeat([]byte{0x80}, 20)...), false},
	} {
		if got := isNeutral(test.block); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// A server that changes its table between equal blocks: the second means
// something else than the first, and has to be decoded.
func TestEqualBlocksOtherMeaning(t *testing.T) {
	const reference = 0x80 | 62 // the newest entry
	literal := func(status string) []byte { return append([]byte{0x48, 3}, status...) }
	for _, test := range []struct {
		name   string
		blocks [][]byte
		want   []uint16
	}{
		{"inserted between", [][]byte{literal("200"), {reference}, {reference}, literal("503"), {reference}}, []uint16{200, 200, 200, 503, 503}},
		{"inserted by another block", [][]byte{literal("200"), {reference}, append([]byte{0x80 | 62}, 0x40, 1, 'x', 1, 'y'), {0x80 | 63}, {0x88}, {0x80 | 63}},
			[]uint16{200, 200, 200, 200, 200, 200}},
		// 404 (13) and 200 (8) are in the static table.
		{"alternating", [][]byte{{0x8d}, {0x88}, {0x8d}, {0x88}, literal("201"), {0x8d}, {reference}, {0x88}, {reference}}, []uint16{404, 200, 404, 200, 201, 404, 201, 200, 201}},
		{"evicted by a size update", [][]byte{literal("200"), {reference}, append([]byte{0x20, 0x3f, 0xe1, 0x1f}, literal("503")...), {reference}}, []uint16{200, 200, 503, 503}},
		{"repeated insertion", [][]byte{literal("200"), literal("201"), literal("200"), {reference}, {0x80 | 63}, {0x80 | 64}}, []uint16{200, 201, 200, 200, 201, 200}},
		{"more than are remembered", [][]byte{{0x88}, {0x89}, {0x8b}, {0x8c}, {0x8d}, {0x8e}, {0x88}, {0x8e}, {0x8b}}, []uint16{200, 204, 304, 400, 404, 500, 200, 500, 304}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := accept(t, testConfig(t))
			p.settings()
			for i, block := range test.blocks {
				x := p.start(1)[0]
				p.receive()
				p.raw(http2.FrameHeaders, flagEndStream|flagEndHeaders, p.c.streams.newest.id, block...)
				p.send()
				if x.Status != test.want[i] || x.Outcome == exchange.ProtocolError {
					t.Errorf("response %d: status %d, %v %q; want %d", i, x.Status, x.Outcome, x.Reason.Text, test.want[i])
				}
			}
		})
	}
}

// The same by chance: any sequence of blocks means what it means to a decoder
// that sees all of them, and known blocks are indeed left out.
func TestKnownBlocksAgainstDecoder(t *testing.T) {
	p := accept(t, testConfig(t))
	p.settings()
	reference := hpack.NewDecoder(4096, nil)
	random := rand.New(rand.NewPCG(1, 2))
	known, changes := 0, 0
	for i := range 20_000 {
		status := []string{"200", "201", "404", "503"}[random.IntN(4)]
		var block []byte
		switch n := random.IntN(40); {
		case n == 0:
			block = append([]byte{0x48, 3}, status...) // with indexing
		case n == 1:
			block = append([]byte{0x20, 0x3f, 0xe1, 0x1f, 0x08, 3}, status...) // the table is emptied
		case n < 10:
			block = append([]byte{0x08, 3}, status...) // without indexing
		default:
			block = []byte{byte(0x80 | 62 + random.IntN(4))} // one of the last four that were indexed
		}
		fields, err := reference.DecodeFull(block)
		if err != nil {
			continue // there are not as many
		}
		if !isNeutral(block) {
			changes++
		}
		if _, found := p.c.known.find(block); found {
			known++
		}
		x := p.start(1)[0]
		p.c.Out()
		p.c.Stamp(p.now)
		p.raw(http2.FrameHeaders, flagEndStream|flagEndHeaders, p.c.streams.newest.id, block...)
		p.send()
		if got := fmt.Sprint(x.Status); got != fields[0].Value {
			t.Fatalf("response %d: status %s, want %s", i, got, fields[0].Value)
		}
		p.c.Done()
	}
	if known < 2000 || changes < 500 {
		t.Errorf("%d blocks were known, %d changed the table, which tests little", known, changes)
	}
}

// A malformed block is malformed each time.
func TestMalformedTwice(t *testing.T) {
	p := accept(t, testConfig(t))
	p.settings()
	for range 2 {
		x := p.start(1)[0]
		p.receive()
		p.raw(http2.FrameHeaders, flagEndStream|flagEndHeaders, p.c.streams.newest.id, 0x88, 0x00, 1, 'X', 0)
		p.send()
		p.ended(x, exchange.ProtocolError, "upper case in a field name")
	}
}

// A block is decoded once, and again after any that is not neutral.
func TestKnownBlocksForget(t *testing.T) {
	var k knownBlocks
	long := make([]byte, knownBlockBytesMax+1)
	k.remember(long, answer{})
	if _, found := k.find(long); found {
		t.Error("a long block is remembered")
	}
	for i := range byte(knownBlocksMax + 1) {
		k.remember([]byte{i}, answer{status: uint16(i)})
	}
	for i := range byte(knownBlocksMax + 1) {
		a, found := k.find([]byte{i})
		if found != (i > 0) || a.status != uint16(i) {
			t.Errorf("block %d: %v %v; the oldest goes, the others stay", i, a, found)
		}
	}
	if _, found := k.find(nil); found {
		t.Error("an empty block is found in an empty entry")
	}
	k.forget()
	for i := range byte(knownBlocksMax + 1) {
		if _, found := k.find([]byte{i}); found {
			t.Errorf("block %d is not forgotten", i)
		}
	}
}
