package procfs

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// NodeBytes is memory by the node (NUMA) that it lies on.
type NodeBytes map[int]int64

// add adds memory of one node, or of each.
func (b *NodeBytes) add(more NodeBytes) {
	if *b == nil {
		*b = NodeBytes{}
	}
	for node, bytes := range more {
		(*b)[node] += bytes
	}
}

// total adds the nodes up.
func (b NodeBytes) total() (sum int64) {
	for _, bytes := range b {
		sum += bytes
	}
	return sum
}

// Placement is where the memory of a process lies that is resident and mapped.
type Placement struct {
	// Anonymous is its own: heap, stacks, what it wrote over a mapped file. Of a mapping that
	// was written over in part the kernel tells how much, and not on which node: those pages
	// are shared out over the nodes of the mapping in proportion.
	Anonymous NodeBytes `json:"anonymous,omitempty"`
	File      NodeBytes `json:"file,omitempty"` // of the page cache, of all mapped files
	// Files are the mapped files, the largest first. A file that is only read, or sent with
	// sendfile, is not mapped and not seen.
	Files []FilePlacement `json:"files,omitempty"`
}

// FilePlacement is where the mapped pages of one file lie.
type FilePlacement struct {
	Path  string    `json:"path"`
	Bytes NodeBytes `json:"bytes"`
}

// ErrNoNodes says that the kernel knows no nodes (it is an option).
var ErrNoNodes = errors.New("this kernel does not tell on which node memory lies")

// Placement reads where the memory of a process lies. The kernel walks through all of it,
// which takes a while for large ones. Only the process's own user and root may
// (ErrNotPermitted). Source: numa(7), /proc/PID/numa_maps.
func (f FS) Placement(pid int) (Placement, error) {
	data, err := f.readProcess(pid, "numa_maps")
	switch {
	case errors.Is(err, ErrGone):
		if _, statErr := f.Stat(pid); statErr == nil {
			return Placement{}, ErrNoNodes
		}
		return Placement{}, err
	case errors.Is(err, fs.ErrPermission):
		return Placement{}, fmt.Errorf("read numa_maps of process %d: %w", pid, ErrNotPermitted)
	case err != nil:
		return Placement{}, err
	}
	p, err := parseNumaMaps(data)
	if err != nil {
		return Placement{}, fmt.Errorf("read numa_maps of process %d: %w", pid, err)
	}
	return p, nil
}

// parseNumaMaps reads lines of "ADDRESS POLICY [file=PATH] [anon=N] ... N0=PAGES ...
// kernelpagesize_kB=SIZE".
func parseNumaMaps(data []byte) (Placement, error) {
	var p Placement
	files := map[string]NodeBytes{}
	for line := range bytes.Lines(data) {
		m, err := parseNumaMap(strings.Fields(string(line)))
		if err != nil {
			return Placement{}, fmt.Errorf("line %q: %w", line, err)
		}
		own, file := m.split()
		p.Anonymous.add(own)
		if m.path == "" {
			continue
		}
		p.File.add(file)
		of := files[m.path]
		of.add(file)
		files[m.path] = of
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if files[path].total() > 0 {
			p.Files = append(p.Files, FilePlacement{path, files[path]})
		}
	}
	slices.SortStableFunc(p.Files, func(a, b FilePlacement) int { return int(min(1, max(-1, b.Bytes.total()-a.Bytes.total()))) })
	return p, nil
}

// numaMap is one mapping.
type numaMap struct {
	path      string        // "": of no file
	anonPages int64         // of a file: that were written over, and are the process's own
	pages     map[int]int64 // by node; those of them, too
	pageBytes int64
}

// split tells what of a mapping is the process's own and what is its file's.
func (m numaMap) split() (own, file NodeBytes) {
	own, file = NodeBytes{}, NodeBytes{}
	total, anon := int64(0), m.anonPages
	for _, pages := range m.pages {
		total += pages
	}
	if anon = min(anon, total); m.path == "" {
		anon = total
	}
	if total == 0 {
		return own, file
	}
	seen, given := int64(0), int64(0)
	for _, node := range slices.Sorted(maps.Keys(m.pages)) {
		seen += m.pages[node]
		part := anon*seen/total - given // what is given in all is right at the last one
		given += part
		if part > 0 {
			own[node] = part * m.pageBytes
		}
		if rest := m.pages[node] - part; rest > 0 {
			file[node] = rest * m.pageBytes
		}
	}
	return own, file
}

func parseNumaMap(words []string) (numaMap, error) {
	m := numaMap{pages: map[int]int64{}, pageBytes: 4096}
	for _, word := range words {
		key, value, found := strings.Cut(word, "=")
		if !found {
			continue
		}
		switch {
		case key == "file":
			m.path = unescapePath(value)
		case key == "anon":
			pages, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return m, fmt.Errorf("%q is not a number of pages", word)
			}
			m.anonPages = pages
		case key == "kernelpagesize_kB":
			kib, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return m, fmt.Errorf("%q is not a size", word)
			}
			m.pageBytes = kib << 10
		case len(key) > 1 && key[0] == 'N':
			node, nodeErr := strconv.Atoi(key[1:])
			pages, err := strconv.ParseInt(value, 10, 64)
			if nodeErr != nil || err != nil {
				return m, fmt.Errorf("%q is not the pages of a node", word)
			}
			m.pages[node] = pages
		}
	}
	return m, nil
}

// unescapePath undoes what the kernel does with spaces, tabs, newlines, backslashes and
// signs of its own in a path: \040 and so on.
func unescapePath(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var path strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+4 <= len(text) {
			if code, err := strconv.ParseUint(text[i+1:i+4], 8, 8); err == nil {
				path.WriteByte(byte(code))
				i += 3
				continue
			}
		}
		path.WriteByte(text[i])
	}
	return path.String()
}
