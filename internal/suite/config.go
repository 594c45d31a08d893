package suite

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// Config is the configuration of a variant: a file, and in what the variant's own is
// another.
type Config struct {
	From  string // path; "": the variant has none
	Edits []Edit // of one form: Drop and then Set, or Replace
}

// Edit is one change of a configuration.
type Edit struct {
	Kind  EditKind
	Path  string   // where; of Replace the text that is there exactly once
	Value string   // of Set, as YAML on one line; of Replace the new text. Placeholders
	At    Position // in the suite
}

// EditKind is a kind of edit.
type EditKind uint8

const (
	Drop    EditKind = iota // takes a key with its value, or an entry of a list, out of YAML
	Set                     // gives a key, or an entry, another value
	Replace                 // changes text in a file of any form
)

// String returns the word of the file.
func (k EditKind) String() string { return [...]string{"drop", "set", "replace"}[k] }

// Position is a place in a file; lines and columns count from 1, columns in
// characters.
type Position struct {
	File         string
	Line, Column int
}

// maxConfigBytes bounds configurations; those that are edited by path have the bound
// of suites, for the same reason.
const maxConfigBytes = 16 << 20

// Effective returns the configuration that the variant runs with, of the content of
// From. Bytes that no edit is about stay as they are.
//
// An edit that matches nothing is a fault, since the variant would be another than
// it says. So is a replaced text that is there more than once, and an edit of a file
// that is no YAML. The error is [Faults] with all of them, at the place of the edits.
func (c Config) Effective(source []byte) ([]byte, error) {
	var faults Faults
	tell := func(e Edit, err error) {
		faults = append(faults, Fault{File: e.At.File, Line: e.At.Line, Column: e.At.Column,
			Text: fmt.Sprintf("%s: %s: %v", e.Kind, c.From, err)})
	}
	text := source
	if len(c.Edits) > 0 && c.Edits[0].Kind == Replace {
		text = c.replaced(source, tell)
	} else {
		for _, e := range c.Edits {
			edited, err := editYAML(text, e)
			if err != nil {
				tell(e, err)
				continue
			}
			text = edited
		}
	}
	if len(faults) > 0 {
		faults.sort()
		return nil, faults
	}
	return text, nil
}

// cut is a part of a text, and what takes its place.
type cut struct {
	from, to int
	text     string
	edit     Edit
}

// replaced finds all texts in source as it is: what an edit writes is not found by
// the next, so that their order does not matter.
func (c Config) replaced(source []byte, tell func(Edit, error)) []byte {
	var cuts []cut
	for _, e := range c.Edits {
		old := []byte(e.Path)
		switch first, last := bytes.Index(source, old), bytes.LastIndex(source, old); {
		case first < 0:
			tell(e, fmt.Errorf("%q is not there", e.Path))
		case first != last:
			tell(e, fmt.Errorf("%q is there more than once, expected a longer text that is there once", e.Path))
		default:
			cuts = append(cuts, cut{from: first, to: first + len(old), text: e.Value, edit: e})
		}
	}
	slices.SortFunc(cuts, func(a, b cut) int { return cmp.Compare(a.from, b.from) })
	var out []byte
	end := 0
	for _, c := range cuts {
		if c.from < end {
			tell(c.edit, fmt.Errorf("%q is part of what another edit replaces", c.edit.Path))
			continue
		}
		out = append(append(out, source[end:c.from]...), c.text...)
		end = c.to
	}
	return append(out, source[end:]...)
}

// expand replaces the placeholders of the new text. A value of YAML that is one
// placeholder and nothing else is written as it is, so that a port is a number.
func (e *Edit) expand(text func(string) string) {
	if e.Kind != Set {
		e.Value = text(e.Value)
		return
	}
	e.Value = expandFlow(e.Value, text)
}
