package suite

import (
	"github.com/goccy/go-yaml/ast"
)

var configKeys = keyTable{
	what:  "config",
	known: []string{"from", "drop", "set", "replace"},
	must:  []string{"from"},
}

// config reads the path of a configuration, or the path and the edits.
func (r *reader) config(f field) Config {
	if _, isText := scalarText(f.val); isText {
		c := Config{From: r.path(f)}
		r.tryConfig(f.val, c)
		return c
	}
	var c Config
	var fromAt ast.Node
	var drops, sets, replaces []Edit
	var byPath, byText ast.Node
	for _, f := range r.fields(f.val, configKeys) {
		switch f.key {
		case "from":
			c.From, fromAt = r.path(f), f.val
		case "drop":
			drops, byPath = r.drops(f), f.name
		case "set":
			sets, byPath = r.sets(f), f.name
		case "replace":
			replaces, byText = r.replaces(f), f.name
		}
	}
	if byPath != nil && byText != nil {
		r.fault(byText, "replace: it is for files that are no YAML, expected no drop and set beside it")
	}
	for _, edits := range [][]Edit{drops, sets, replaces} {
		c.Edits = append(c.Edits, edits...)
	}
	if fromAt != nil && c.From != "" {
		r.tryConfig(fromAt, c)
	}
	return c
}

// tryConfig reads the file and tries the edits, where a suite is read with
// everything. Values with placeholders are tried as they are.
func (r *reader) tryConfig(fromAt ast.Node, c Config) {
	if !r.job.withConfigs {
		return
	}
	data, ok := r.source(fromAt, c.From, maxConfigBytes)
	if !ok {
		return
	}
	if _, err := c.Effective(data); err != nil {
		r.faults = append(r.faults, err.(Faults)...) // it returns nothing else
	}
}

// drops reads a list of paths.
func (r *reader) drops(f field) []Edit {
	entries, _ := r.list(f, "a list of paths such as [server.tls]")
	var edits []Edit
	for _, entry := range entries {
		text, ok := r.text(field{key: f.key, val: entry}, "a path such as server.tls")
		if ok && r.checkPath(entry, text) {
			edits = append(edits, Edit{Kind: Drop, Path: text, At: r.place(entry)})
		}
	}
	return edits
}

// sets reads a mapping of paths to values of any kind.
func (r *reader) sets(f field) []Edit {
	var edits []Edit
	for _, f := range r.distinct(f) {
		if !r.checkPath(f.name, f.key) {
			continue
		}
		withParams := func(text string) string { return r.job.withParams(text, true) }
		value, bad := flow{text: withParams}.value(f.val)
		if bad != nil {
			r.mismatch(bad, f.key, "a value")
			continue
		}
		r.use(f.val, value)
		edits = append(edits, Edit{Kind: Set, Path: f.key, Value: value, At: r.place(f.name)})
	}
	return edits
}

// checkPath tells what is no path.
func (r *reader) checkPath(n ast.Node, text string) bool {
	if _, err := parsePath(text); err != nil {
		r.fault(n, "%v", err)
		return false
	}
	return true
}

// replaces reads a mapping of old texts to new ones.
func (r *reader) replaces(f field) []Edit {
	var edits []Edit
	for _, f := range r.distinct(f) {
		value, ok := r.template(f, `the new text, "" for none`)
		switch {
		case f.key == "":
			r.fault(f.name, "replace: an empty text is everywhere, expected one that is there once")
		case ok:
			edits = append(edits, Edit{Kind: Replace, Path: f.key, Value: value, At: r.place(f.name)})
		}
	}
	return edits
}

// place returns where n begins, for faults that are found later.
func (r *reader) place(n ast.Node) Position {
	line, column := position(n)
	return Position{File: r.file, Line: line, Column: column}
}
