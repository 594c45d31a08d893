package h2

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/http2/hpack"
)

// tableChanges tells of two blocks, read one after the other, whether each
// changed the dynamic table.
func tableChanges(t *testing.T, first, second []byte) (byFirst, bySecond bool) {
	t.Helper()
	var d decoder
	d.open()
	versions := []uint64{d.table.version}
	for _, block := range [][]byte{first, second} {
		if err := d.read(block); err != nil {
			t.Fatal(err)
		}
		versions = append(versions, d.table.version)
	}
	return versions[0] != versions[1], versions[1] != versions[2]
}

// The static table is that of hpack, which does not show it: every index means
// the same to both.
func TestStaticFields(t *testing.T) {
	if len(staticFields) != 61 {
		t.Fatalf("%d fields, want 61", len(staticFields))
	}
	for i, f := range staticFields {
		fields, err := hpack.NewDecoder(4096, nil).DecodeFull([]byte{0x80 | byte(i+1)})
		if err != nil || fields[0].Name != f.name || fields[0].Value != f.value {
			t.Errorf("%d: %+v, hpack has %v, %v", i+1, f, fields, err)
		}
	}
}

// Blocks that break RFC 7541 lose the state of the decoder.
func TestBlocksThatBreak(t *testing.T) {
	long := bytes.Repeat([]byte("~"), maxListBytes+1)
	for _, test := range []struct {
		name  string
		block []byte
		want  error
	}{
		{"index 0", []byte{0x80}, errBlock},
		{"index behind an empty table", []byte{0x80 | 62}, errBlock},
		{"name behind an empty table", []byte{0x40 | 62, 0}, errBlock},
		{"cut in an integer", []byte{0xff, 0x80}, errBlock},
		{"endless integer", append([]byte{0xff}, bytes.Repeat([]byte{0x80}, 20)...), errBlock},
		{"cut before a string", []byte{0x00, 1, 'x'}, errBlock},
		{"cut in a string", []byte{0x00, 1, 'x', 2, 'y'}, errBlock},
		{"bad Huffman code", []byte{0x08, 0x84, 0xff, 0xff, 0xff, 0xff}, errBlock}, // EOS inside, section 5.2
		{"size update above ours", []byte{0x3f, 0xe2, 0x1f}, errBlock},             // 31 + 98 + 31<<7 = 4097
		{"size update behind a field", []byte{0x88, 0x20}, errLateUpdate},
		{"long string", append([]byte{0x08, 0x7f, 0x82, 0xff, 0x03}, long...), errStringSize}, // 127 + 2 + 127<<7 + 3<<14 = 65 537
		{"size updates in front", []byte{0x20, 0x3f, 0xe1, 0x1f, 0x88}, nil},
	} {
		var d decoder
		d.open()
		if _, _, err := d.decode(test.block); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}

// A block that inserts and refers to nothing, as nginx sends it, is read once;
// what it inserts is inserted each time.
func TestInsertingBlockIsReadOnce(t *testing.T) {
	var d decoder
	d.open()
	read := 0
	d.take = func(f hpack.HeaderField) { read++; d.head.field(f) }
	block := []byte{0x88, 0x40, 1, 'x', 1, 'y'} // :status 200, and x: y with indexing
	for i := range 200 {
		a, fault, err := d.decode(block)
		if a.status != 200 || fault != "" || err != nil {
			t.Fatalf("%+v %q %v", a, fault, err)
		}
		// An entry is 1 + 1 + 32 = 34 bytes: 120 of them fit into 4096.
		if want := min(i+1, 120); d.table.count != want || d.table.usedBytes != uint32(34*want) {
			t.Fatalf("%d entries of %d bytes, want %d", d.table.count, d.table.usedBytes, want)
		}
	}
	if read != 2 {
		t.Errorf("%d fields were read, want those of one block, 2", read)
	}
	for index := uint64(62); index < 62+120; index++ {
		if f, ok := d.table.at(index); !ok || f != (tableField{"x", "y"}) {
			t.Fatalf("index %d: %v %v", index, f, ok)
		}
	}
	if n := testing.AllocsPerRun(100, func() { d.decode(block) }); n != 0 && !raceEnabled {
		t.Errorf("%v allocations", n)
	}
}

// FuzzDecoder holds the decoder against hpack's: the same fields, and the same
// table after each, for any sequence of blocks, in which blocks repeat.
func FuzzDecoder(f *testing.F) {
	f.Add([]byte("\x06\x88\x40\x01x\x01y\x01\xbe\x06\x88\x40\x01x\x01y\x02\xbf\xbe"))
	f.Add([]byte("\x04\x48\x03200\x03\x20\x88\xbe\x01\xbe"))
	f.Add([]byte("\x09\x3f\x21\x40\x01a\x04bcde\x01\xbe\x01\xbf"))
	f.Add([]byte(strings.Repeat("\x12\x40\x84\xf2\xb2\x4a\x84\x0a\x40\x01b\x06cccccc\xc0\x81", 40)))
	f.Fuzz(func(t *testing.T, data []byte) {
		var d decoder
		d.open()
		var got, want []string
		d.take = func(f hpack.HeaderField) {
			got = append(got, f.Name+": "+f.Value)
			d.head.field(f)
		}
		reference := hpack.NewDecoder(defaultTableBytes, func(f hpack.HeaderField) { want = append(want, f.Name+": "+f.Value) })
		reference.SetMaxStringLength(maxListBytes)
		for len(data) > 0 {
			n := min(int(data[0]), len(data)-1)
			block := data[1 : 1+n]
			data = data[1+n:]
			got, want = got[:0], want[:0]
			knew := d.known.find(block, d.table.version) != nil
			before := d.head
			a, fault, err := d.decode(block)
			_, theirs := reference.Write(block)
			if theirs == nil {
				theirs = reference.Close()
			}
			if err == errLateUpdate { // which hpack takes while the table is empty
				return
			}
			if (err == nil) != (theirs == nil) {
				t.Fatalf("block % x: %v, hpack %v", block, err, theirs)
			}
			if err != nil {
				return
			}
			if knew {
				checkKnown(t, block, a, want)
				d.head = before
			} else if !slices.Equal(got, want) {
				t.Fatalf("block % x: %q, hpack %q", block, got, want)
			}
			if fault != "" && knew {
				t.Fatalf("block % x: a malformed block is known", block)
			}
			sameTable(t, &d.table, reference)
		}
	})
}

// checkKnown holds what a block is known to say against its fields.
func checkKnown(t *testing.T, block []byte, a answer, fields []string) {
	t.Helper()
	var h head
	h.begin()
	for _, f := range fields {
		name, value, _ := strings.Cut(f[1:], ": ") // a pseudo-header begins with a colon
		h.field(hpack.HeaderField{Name: f[:1] + name, Value: value})
	}
	if h.answer != a || h.fault != "" {
		t.Fatalf("block % x: known to say %+v, its fields %q say %+v %q", block, a, fields, h.answer, h.fault)
	}
}

// sameTable asks hpack for every entry that we have.
func sameTable(t *testing.T, table *fieldTable, reference *hpack.Decoder) {
	t.Helper()
	for i := range table.count {
		f, _ := table.at(uint64(62 + i))
		// An indexed field: in one byte, or 0x7f and the rest.
		index := 62 + i
		block := []byte{0x80 | byte(index)}
		if index >= 127 {
			block = []byte{0xff, byte(index - 127)}
		}
		fields, err := reference.DecodeFull(block)
		if err != nil || fields[0].Name != f.name || fields[0].Value != f.value {
			t.Fatalf("index %d: %v, hpack %v, %v", index, f, fields, err)
		}
	}
}
