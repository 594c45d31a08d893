package suite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// reader collects the faults of one file. Its methods read nodes; after a
// fault they return a zero value and the reading goes on.
type reader struct {
	file      string
	holds     string                  // of what it is a file, with its article
	checkRate func(text string) error // of [Parser]
	job       *job
	faults    Faults
}

// field is one key of a mapping with its value.
type field struct {
	key       string
	name, val ast.Node
}

// keyTable is what a mapping may hold.
type keyTable struct {
	what  string   // with its article, for messages: "a scenario"
	known []string // in the order of the documentation
	must  []string // those of known that may not be missing

	// later are keys of the format that nothing reads yet. They are refused
	// by name: ignoring one would measure something else than was asked.
	later []string
	// hints say of a key that is wrong here what to do instead.
	hints map[string]string
}

func (r *reader) faultAt(line, column int, format string, args ...any) {
	r.faults = append(r.faults, Fault{File: r.file, Line: line, Column: column, Text: fmt.Sprintf(format, args...)})
}

// fault records a fault at the first character of n.
func (r *reader) fault(n ast.Node, format string, args ...any) {
	line, column := position(n)
	r.faultAt(line, column, format, args...)
}

// position returns where n begins. A block mapping begins at its first key;
// the library places it at the first colon. A missing value has the place
// where it would begin.
func position(n ast.Node) (line, column int) {
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		n = m.Values[0].Key
	}
	tk := n.GetToken()
	if tk == nil || tk.Position == nil {
		return 1, 1
	}
	return tk.Position.Line, tk.Position.Column
}

// fields returns the fields of a mapping in the order of the file: known keys,
// each once. Everything else is a fault.
func (r *reader) fields(n ast.Node, table keyTable) []field {
	values, ok := r.mapping(n, table.what)
	if !ok {
		return nil
	}
	lineOf := make(map[string]int, len(values))
	fields := make([]field, 0, len(values))
	for _, f := range values {
		line, _ := position(f.name)
		if first, twice := lineOf[f.key]; twice {
			r.fault(f.name, "key %q is there twice in %s, first on line %d", f.key, table.what, first)
			continue
		}
		lineOf[f.key] = line
		if slices.Contains(table.known, f.key) {
			fields = append(fields, f)
			continue
		}
		r.fault(f.name, "%s", table.refusal(f.key))
	}
	for _, key := range table.must {
		if _, there := lineOf[key]; !there {
			r.fault(n, "%s needs the key %q", table.what, key)
		}
	}
	return fields
}

// refusal says why key is not one of the table.
func (t keyTable) refusal(key string) string {
	if hint, ok := t.hints[key]; ok {
		return fmt.Sprintf("key %q in %s: %s", key, t.what, hint)
	}
	if slices.Contains(t.later, key) {
		return fmt.Sprintf("key %q in %s is not supported yet", key, t.what)
	}
	if near := Nearest(key, slices.Concat(t.known, t.later)); near != "" {
		return fmt.Sprintf("unknown key %q in %s; did you mean %q?", key, t.what, near)
	}
	return fmt.Sprintf("unknown key %q in %s; known are %s", key, t.what, strings.Join(t.known, ", "))
}

// mapping returns all fields of a mapping whose keys are plain texts.
func (r *reader) mapping(n ast.Node, what string) (fields []field, ok bool) {
	m, isMapping := n.(*ast.MappingNode)
	if !isMapping {
		r.mismatch(n, what, "a mapping of keys to values")
		return nil, false
	}
	for _, v := range m.Values {
		text, isText := scalarText(v.Key)
		if !isText {
			r.fault(v.Key, "%s as a key, expected a plain word", describe(v.Key))
			continue
		}
		fields = append(fields, field{key: text, name: v.Key, val: v.Value})
	}
	return fields, true
}

// distinct returns the fields of a mapping whose keys are the file's own words, each
// once.
func (r *reader) distinct(f field) []field {
	all, _ := r.mapping(f.val, f.key)
	lineOf := make(map[string]int, len(all))
	return slices.DeleteFunc(all, func(entry field) bool {
		line, _ := position(entry.name)
		first, twice := lineOf[entry.key]
		if twice {
			r.fault(entry.name, "%s: %q is there twice, first on line %d", f.key, entry.key, first)
			return true
		}
		lineOf[entry.key] = line
		return false
	})
}

// list returns the entries of a list.
func (r *reader) list(f field, what string) (entries []ast.Node, ok bool) {
	seq, ok := f.val.(*ast.SequenceNode)
	if !ok {
		r.mismatch(f.val, f.key, what)
		return nil, false
	}
	return seq.Values, true
}

// text returns the text of a scalar, as it is written, with params replaced.
func (r *reader) text(f field, what string) (text string, ok bool) {
	text, ok = scalarText(f.val)
	if !ok {
		r.mismatch(f.val, f.key, what)
	}
	return r.job.withParams(text, false), ok
}

// mismatch records that n, the value of key, is of another kind than expected.
func (r *reader) mismatch(n ast.Node, key, expected string) {
	if isIndirect(n) {
		r.fault(n, "%s: %s is not supported here, write the value out", key, describe(n))
		return
	}
	if word := unquoted(n); word != "" {
		r.fault(n, "%s: {%s} is a mapping here, write \"{%s}\" in quotes for the placeholder", key, word, word)
		return
	}
	r.fault(n, "%s: %s, expected %s", key, describe(n), expected)
}

// unquoted returns the word of a placeholder that lacks its quotes, for which YAML
// has another meaning; "" for anything else.
func unquoted(n ast.Node) string {
	m, ok := n.(*ast.MappingNode)
	if !ok || !m.IsFlowStyle || len(m.Values) != 1 || m.Values[0].Value.Type() != ast.NullType {
		return ""
	}
	word, _ := scalarText(m.Values[0].Key)
	if placeholder.MatchString("{" + word + "}") {
		return word
	}
	return ""
}

// scalarText returns the text of a scalar that is not null. Numbers and
// booleans keep their spelling: 010 is "010", not 8.
func scalarText(n ast.Node) (text string, ok bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	}
	return "", false
}

// isIndirect tells whether n stands for another value.
func isIndirect(n ast.Node) bool {
	switch n.(type) {
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode, *ast.MergeKeyNode:
		return true
	}
	return false
}

// describe names the kind of n for messages.
func describe(n ast.Node) string {
	switch n.(type) {
	case *ast.NullNode:
		return "nothing"
	case *ast.MappingNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.AnchorNode:
		return "a YAML anchor"
	case *ast.AliasNode:
		return "a YAML alias"
	case *ast.TagNode:
		return "a YAML tag"
	case *ast.MergeKeyNode:
		return "a YAML merge key"
	case *ast.MappingKeyNode:
		return "an explicit YAML key"
	}
	return "a value"
}
