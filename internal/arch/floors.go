package arch

import (
	"fmt"
	"slices"
	"strings"
)

// floors is the import table of the module, from the top of the house down.
// A package belongs to the room with the longest name that its directory is in
// or under; "internal" is therefore the rest of internal.
var floors = [][]string{
	{"cmd"},
	{"driver", "gate", "bench", "internal/report", "internal/target", "internal/resulttest"},
	{"loadgen", "ab", "internal/suite", "internal/record", "internal/probe"},
	{"internal"},
}

// ban is an import that the floors alone would allow.
type ban struct {
	from, to string // rooms
	why      string
}

// bans hold for tests as well.
var bans = []ban{
	{"gate", "driver", "a verdict is made from records alone"},
	{"gate", "loadgen", "a verdict is made from records alone"},
	{"gate", "internal/suite", "driver and gate meet only in internal/record"},
}

// forTests are rooms that are no part of the program.
var forTests = []string{"internal/resulttest", "internal/leaktest", "internal/quictest", "internal/arch", "bench/integration"}

// importsDown holds the import table. Tests may import sideways and upwards,
// for they are not part of what they test; cmd is closed to them too.
func importsDown(files []File) (faults []string) {
	unplaced := map[string]bool{}
	for _, f := range files {
		from, floor := roomOf(f.Dir())
		if floor < 0 {
			if !unplaced[f.Dir()] {
				faults = append(faults, fmt.Sprintf("%s: the directory is in no room of the import table", f.Dir()))
			}
			unplaced[f.Dir()] = true
			continue
		}
		for _, spec := range f.Syntax.Imports {
			dir, ours := inModule(importPath(spec))
			if !ours {
				continue
			}
			to, below := roomOf(dir)
			i := slices.IndexFunc(bans, func(b ban) bool { return b.from == from && b.to == to })
			switch {
			case i >= 0:
				faults = append(faults, f.faultf(spec, "%s imports %s: %s", from, dir, bans[i].why))
			case to == "cmd":
				faults = append(faults, f.faultf(spec, "%s imports %s: nobody imports cmd", from, dir))
			case from == to || f.IsTest():
			case below <= floor:
				faults = append(faults, f.faultf(spec, "%s imports %s, which is not below it: %s", from, dir, floorsText()))
			}
		}
	}
	return faults
}

// roomOf returns the room that a directory is in and its floor, counted from
// the top; -1 when there is none.
func roomOf(dir string) (room string, floor int) {
	floor = -1
	for i, rooms := range floors {
		for _, r := range rooms {
			if under(dir, r) && len(r) > len(room) {
				room, floor = r, i
			}
		}
	}
	return room, floor
}

// under reports whether a directory is another or below it.
func under(dir, room string) bool { return dir == room || strings.HasPrefix(dir, room+"/") }

// floorsText is the table in one line.
func floorsText() string {
	var rows []string
	for _, rooms := range floors {
		rows = append(rows, strings.Join(rooms, ", "))
	}
	return strings.Join(rows, " -> ")
}

// onlyForTests keeps the rooms that serve tests out of the program.
func onlyForTests(files []File) (faults []string) {
	for _, f := range files {
		if f.IsTest() {
			continue
		}
		for _, spec := range f.Syntax.Imports {
			dir, ours := inModule(importPath(spec))
			for _, room := range forTests {
				if ours && under(dir, room) && !under(f.Dir(), room) {
					faults = append(faults, f.faultf(spec, "%s is for tests only", dir))
				}
			}
		}
	}
	return faults
}
