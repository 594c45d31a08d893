package serverproc

import (
	"debug/elf"
	"encoding/hex"
	"io"
)

// buildID reads the linker's note (NT_GNU_BUILD_ID). It is looked for in the segments
// that are loaded, since a stripped program need not have sections.
func buildID(program *elf.File) string {
	for _, p := range program.Progs {
		if p.Type != elf.PT_NOTE {
			continue
		}
		notes, err := io.ReadAll(p.Open())
		if err != nil {
			continue
		}
		if id := findNote(notes, program, p.Align); id != nil {
			return hex.EncodeToString(id)
		}
	}
	return ""
}

// findNote walks over notes: length of the name, length of the content, type, name and
// content, both padded. Source: elf(5), "Notes (Nhdr)".
func findNote(notes []byte, program *elf.File, align uint64) []byte {
	const headBytes, gnuBuildID = 12, 3
	align = max(align, 4)
	padded := func(n uint64) uint64 { return (n + align - 1) / align * align }
	for uint64(len(notes)) >= headBytes {
		nameBytes := uint64(program.ByteOrder.Uint32(notes[0:]))
		contentBytes := uint64(program.ByteOrder.Uint32(notes[4:]))
		kind := program.ByteOrder.Uint32(notes[8:])
		from := padded(headBytes + nameBytes)
		to := from + contentBytes
		if to > uint64(len(notes)) {
			return nil
		}
		if kind == gnuBuildID && string(notes[headBytes:headBytes+nameBytes]) == "GNU\x00" {
			return notes[from:to]
		}
		notes = notes[min(padded(to), uint64(len(notes))):]
	}
	return nil
}
