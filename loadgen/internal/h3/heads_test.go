package h3

import (
	"strings"
	"testing"
)

func TestHeads(t *testing.T) {
	var h Heads
	of := func(i int) []byte { return plain(":status", "200", "content-length", string(rune('0'+i))) }
	if h.find(nil) != nil {
		t.Error("an empty section is found in an empty entry")
	}
	for i := range knownHeadsMax + 1 {
		if a, fault := h.read(of(i)); a != (answer{status: 200, lengthBytes: int64(i)}) || fault.Bad() {
			t.Errorf("section %d: %+v, %+v", i, a, fault)
		}
	}
	for i := range knownHeadsMax + 1 {
		k := h.find(of(i))
		if i == 0 {
			if k != nil {
				t.Error("the oldest stays")
			}
			continue
		}
		if k == nil || k.answer.lengthBytes != int64(i) {
			t.Errorf("section %d: %+v", i, k)
		}
	}
	if oldest := h.oldest; oldest != 1 { // the ninth took the first's place
		t.Errorf("the oldest is %d, want 1", oldest)
	}
	h.read(of(3))
	if h.oldest != 1 {
		t.Error("a known section drove out another")
	}
	if h.recent != 3 {
		t.Errorf("the entry looked at first is %d, want 3, that of the last section", h.recent)
	}
}

// Sections that are long, malformed or broken are read anew each time.
func TestHeadsForgets(t *testing.T) {
	for _, test := range []struct {
		name    string
		section []byte
		want    Fault
	}{
		{"malformed", plain(":status", "200", "X", ""), malformed(faultUpperCase)},
		{"broken", []byte{0, 0, 0x80}, connectionFault(QPACKDecompressionFailed, faultDynamic)},
		{"long", sectionOfBytes(knownHeadBytesMax + 1), Fault{}},
	} {
		var h Heads
		for range 2 {
			if _, fault := h.read(test.section); fault != test.want {
				t.Errorf("%s: %+v, want %+v", test.name, fault, test.want)
			}
			if h.find(test.section) != nil {
				t.Errorf("%s: it is remembered", test.name)
			}
		}
		if a, fault := h.read(section(":status", "204")); a.status != 204 || fault.Bad() {
			t.Errorf("%s: the next one is %+v, %+v", test.name, a, fault)
		}
	}
}

// What a server makes us remember is bounded.
func TestHeadsMemory(t *testing.T) {
	var h Heads
	for i := range 1000 {
		pairs := []string{":status", "200", strings.Repeat("~", i*7), ""}
		h.read(section(pairs...))
		h.read(plain(pairs...))
	}
	total := 0
	for _, k := range h.known {
		total += cap(k.section)
	}
	if total == 0 || total > 2*knownHeadsMax*knownHeadBytesMax { // append takes up to twice what it needs
		t.Errorf("%d bytes are remembered", total)
	}
}
