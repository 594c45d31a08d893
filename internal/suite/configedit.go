package suite

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// editYAML makes one edit, Drop or Set, in a file of YAML or JSON. What comes out is
// read again and held against the edit made on the data, so that a layout that this
// does not understand is an error and never another configuration.
func editYAML(text []byte, e Edit) ([]byte, error) {
	if len(text) > maxFileBytes {
		return nil, fmt.Errorf("the file has %d bytes, expected at most %d; use replace", len(text), maxFileBytes)
	}
	steps, err := parsePath(e.Path)
	if err != nil {
		return nil, err
	}
	root, err := rootOf(text)
	if err != nil {
		return nil, err
	}
	at, err := find(root, steps)
	if err != nil {
		return nil, err
	}
	isJSON := json.Valid(text)
	if isJSON {
		e.Value = asJSON(e.Value)
	}
	edited := newSpans(text).cutOf(at, e).apply(text)
	if err := checkEdited(text, edited, steps, e); err != nil {
		return nil, err
	}
	if isJSON && !json.Valid(edited) {
		return nil, fmt.Errorf("%s is no JSON, which the file is", e.Value)
	}
	return edited, nil
}

// rootOf returns the root of the one document of a configuration.
func rootOf(text []byte) (ast.Node, error) {
	r := &reader{holds: "a configuration"}
	root := r.document(text)
	if root == nil {
		return nil, fmt.Errorf("line %d: %s; a file that is no YAML is edited by replace", r.faults[0].Line, r.faults[0].Text)
	}
	return root, nil
}

// cutOf says what an edit takes out of the text and puts there.
func (s spans) cutOf(at *spot, e Edit) cut {
	if e.Kind == Set {
		return s.set(at, e.Value)
	}
	return s.drop(at)
}

func (c cut) apply(text []byte) []byte {
	return slices.Concat(text[:c.from], []byte(c.text), text[c.to:])
}

// set puts a value in the place of another.
func (s spans) set(at *spot, value string) cut {
	if at.parent == nil { // the root, of which the only entry is dropped
		return cut{from: s.start(at.node), to: s.after(lastToken(at.node)), text: value}
	}
	_, to, follows := s.entry(at.parent, at.index)
	if s.isMissing(at.node) || isBlock(at.node) && isMapping(at.parent) {
		// Behind the colon: a block may stand where a value on one line may not.
		from := s.offset(follows.Position.Line, follows.Position.Column) + 1
		return cut{from: from, to: to, text: " " + value}
	}
	return cut{from: s.start(at.node), to: to, text: value}
}

// drop takes an entry out, with its line where it has one.
func (s spans) drop(at *spot) cut {
	n, isFlow, empty := entriesIn(at.parent)
	if n == 1 {
		return s.set(at.in, empty) // a block without entries would be a null
	}
	from, to, _ := s.entry(at.parent, at.index)
	switch {
	case isFlow && at.index+1 == n:
		_, from, _ = s.entry(at.parent, at.index-1)
	case isFlow, !s.isFirstOnLine(from): // the first of a block that follows a dash
		to, _, _ = s.entry(at.parent, at.index+1)
	default:
		from = bytes.LastIndexByte(s.text[:from], '\n') + 1
		if end := bytes.IndexByte(s.text[to:], '\n'); end >= 0 {
			to += end + 1 // with a comment behind it
		} else {
			to = len(s.text)
		}
	}
	return cut{from: from, to: to}
}

func (s spans) isFirstOnLine(offset int) bool {
	line := s.text[bytes.LastIndexByte(s.text[:offset], '\n')+1 : offset]
	return len(bytes.TrimLeft(line, " ")) == 0
}

func entriesIn(parent ast.Node) (n int, isFlow bool, empty string) {
	switch p := parent.(type) {
	case *ast.MappingNode:
		return len(p.Values), p.IsFlowStyle, "{}"
	case *ast.SequenceNode:
		return len(p.Values), p.IsFlowStyle, "[]"
	}
	return 0, false, ""
}

func isMapping(n ast.Node) bool { _, ok := n.(*ast.MappingNode); return ok }

// isBlock tells a mapping or a list that is not in brackets.
func isBlock(n ast.Node) bool {
	entries, isFlow, _ := entriesIn(bare(n))
	return entries > 0 && !isFlow
}

// checkEdited holds the edited text against the edited data.
func checkEdited(before, after []byte, steps []step, e Edit) error {
	var want, got, value any
	if err := yaml.Unmarshal(before, &want); err != nil {
		return fmt.Errorf("no YAML: %s", yaml.FormatError(err, false, false))
	}
	if e.Kind == Set {
		if err := yaml.Unmarshal([]byte(e.Value), &value); err != nil {
			return fmt.Errorf("%s is no value of YAML", e.Value)
		}
	}
	want, found := edit(want, steps, e.Kind, value)
	err := yaml.Unmarshal(after, &got)
	// Maps are printed in the order of their keys, and a NaN is one.
	if !found || err != nil || fmt.Sprintf("%#v", want) != fmt.Sprintf("%#v", got) {
		return errors.New("the file is written in a way that an edit by path would break, such as by an alias; use replace")
	}
	return nil
}

// edit is the edit on data: a copy of tree with one entry dropped or set. What an alias
// shares with the entry is not edited, as it would be in the file.
func edit(tree any, steps []step, kind EditKind, value any) (edited any, found bool) {
	if len(steps) == 0 {
		return value, true
	}
	s, last := steps[0], len(steps) == 1
	switch tree := tree.(type) {
	case map[string]any:
		old, found := tree[s.key]
		if !found || s.inList {
			return nil, false
		}
		tree = maps.Clone(tree)
		if last && kind == Drop {
			delete(tree, s.key)
			return tree, true
		}
		tree[s.key], found = edit(old, steps[1:], kind, value)
		return tree, found
	case []any:
		if !s.inList || s.index >= len(tree) {
			return nil, false
		}
		tree = slices.Clone(tree)
		if last && kind == Drop {
			return slices.Delete(tree, s.index, s.index+1), true
		}
		tree[s.index], found = edit(tree[s.index], steps[1:], kind, value)
		return tree, found
	}
	return nil, false
}
