package h2

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/scalws/scalbench/loadgen/internal/exchange"
	"github.com/scalws/scalbench/loadgen/internal/request"
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
	cfg.Request = testRequest(t, func(s *request.Spec) {
		s.Header = append(s.Header, request.Field{Name: "Authorization", Value: "secret"}, request.Field{Name: "Cookie", Value: "c=d"})
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
	inserting, referring := tableChanges(t, blocks[0], blocks[1])
	if !inserting || referring || !bytes.HasPrefix(blocks[1], repeat) || !bytes.Equal(blocks[1], blocks[2]) {
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
		cfg.Request = testRequest(t, func(s *request.Spec) {
			s.Method, s.Body = "POST", []byte("a")
			for i := range 12 { // each fits into a table of 4096 bytes, all do not
				s.Header = append(s.Header, request.Field{Name: fmt.Sprint("x-", i), Value: string(make4K()[:3000])})
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
		version := p.c.decoder.table.version
		if p.c.decoder.known.find(block, version) != nil {
			known++
		}
		x := p.start(1)[0]
		p.c.Out()
		p.c.Stamp(p.now)
		p.raw(http2.FrameHeaders, flagEndStream|flagEndHeaders, p.c.streams.newest.id, block...)
		p.send()
		if p.c.decoder.table.version != version {
			changes++
		}
		if got := fmt.Sprint(x.Status); got != fields[0].Value {
			t.Fatalf("response %d: status %s, want %s", i, got, fields[0].Value)
		}
		p.c.Done()
	}
	if known < 2000 || changes < 500 { // of 20 000: 1 in 40 inserts, 1 in 40 resizes
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

// A block that refers to the table is known while that is the same, any other
// for good.
func TestKnownBlocks(t *testing.T) {
	var k knownBlocks
	long := make([]byte, knownBlockBytesMax+1)
	k.remember(long, answer{}, nil, false, 1)
	if k.find(long, 1) != nil {
		t.Error("a long block is remembered")
	}
	for i := range byte(knownBlocksMax + 1) {
		k.remember([]byte{i}, answer{status: uint16(i)}, nil, i%2 == 0, 7)
	}
	for i := range byte(knownBlocksMax + 1) {
		found, other := k.find([]byte{i}, 7), k.find([]byte{i}, 8)
		if i == 0 {
			if found != nil {
				t.Error("the oldest stays")
			}
			continue
		}
		if found == nil || found.answer.status != uint16(i) || (other != nil) != (i%2 == 1) {
			t.Errorf("block %d: %+v, with another table %+v", i, found, other)
		}
	}
	k.remember([]byte{2}, answer{status: 22}, nil, true, 9) // takes its own place
	if found := k.find([]byte{2}, 9); found == nil || found.answer.status != 22 || k.find([]byte{1}, 9) == nil {
		t.Error("a block that means something else now drove out another")
	}
	if k.find(nil, 7) != nil {
		t.Error("an empty block is found in an empty entry")
	}
	k.forget()
	for i := range byte(knownBlocksMax + 1) {
		if k.find([]byte{i}, 7) != nil {
			t.Errorf("block %d is not forgotten", i)
		}
	}
}
