package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/scalws/scalbench/internal/record"
)

// jsonNode is a value of a JSON text that knows its line: what is wrong with a number
// that somebody else wrote is told where it stands.
type jsonNode struct {
	line     int
	scalar   any // json.Number, string, bool or nil; nil too for objects and arrays
	names    []string
	members  map[string]*jsonNode // of an object, by name
	elements []*jsonNode          // of an array
	isArray  bool
}

// readJSONTree reads a JSON text. Its error is a [record.Faults]: what is no JSON, and
// names that an object has twice, of which encoding/json would take the last.
func readJSONTree(file string, text []byte) (*jsonNode, error) {
	var whole json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, record.Faults{{File: file, Line: jsonLine(text, err), Text: "no JSON: " + jsonText(err)}}
	}
	w := jsonWalk{file: file, text: text, line: 1, decoder: json.NewDecoder(bytes.NewReader(text))}
	w.decoder.UseNumber()
	node := w.value()
	if len(w.faults) > 0 {
		return nil, w.faults
	}
	return node, nil
}

// jsonLine is the line on which JSON went wrong; 0 when that is not known.
func jsonLine(text []byte, err error) int {
	offset := int64(-1)
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &mismatch):
		offset = mismatch.Offset
	}
	if offset < 0 || offset > int64(len(text)) {
		return 0
	}
	return 1 + strings.Count(strings.TrimRight(string(text[:offset]), "\n"), "\n")
}

// jsonText words what the decoder says for people.
func jsonText(err error) string {
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) && mismatch.Field != "" {
		return fmt.Sprintf("%s: %s is not what it should be", mismatch.Field, mismatch.Value)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// jsonWalk makes a tree of a text that is known to be JSON, and therefore not too deep.
type jsonWalk struct {
	file    string
	text    []byte
	decoder *json.Decoder
	counted int64 // bytes whose lines are counted
	line    int
	faults  record.Faults
}

// token returns the next token, on whose line w.line then is.
func (w *jsonWalk) token() json.Token {
	token, _ := w.decoder.Token() // the text is JSON
	end := w.decoder.InputOffset()
	w.line += bytes.Count(w.text[w.counted:end], []byte("\n"))
	w.counted = end
	return token
}

func (w *jsonWalk) value() *jsonNode {
	token := w.token()
	node := &jsonNode{line: w.line}
	switch token {
	case json.Delim('{'):
		node.members = map[string]*jsonNode{}
		for w.decoder.More() {
			name, _ := w.token().(string)
			if _, twice := node.members[name]; twice {
				w.faults = append(w.faults, record.Fault{File: w.file, Line: w.line, Text: fmt.Sprintf("%q is there twice", name)})
			} else {
				node.names = append(node.names, name)
			}
			node.members[name] = w.value()
		}
		w.token()
	case json.Delim('['):
		node.isArray = true
		for w.decoder.More() {
			node.elements = append(node.elements, w.value())
		}
		w.token()
	default:
		node.scalar = token
	}
	return node
}

// member returns a value of an object; nil where there is none, or null.
func (n *jsonNode) member(name string) *jsonNode {
	if n == nil || n.members[name] == nil || n.members[name].isNull() {
		return nil
	}
	return n.members[name]
}

func (n *jsonNode) isNull() bool   { return n.scalar == nil && n.members == nil && !n.isArray }
func (n *jsonNode) isObject() bool { return n != nil && n.members != nil }

// sortedNames are the names of an object, none of what is no object.
func (n *jsonNode) sortedNames() []string {
	if n == nil {
		return nil
	}
	return slices.Sorted(slices.Values(n.names))
}

// text is a scalar as a message has it.
func (n *jsonNode) text() string {
	switch {
	case n.members != nil:
		return "an object"
	case n.isArray:
		return "an array"
	}
	if word, is := n.scalar.(string); is {
		return strconv.Quote(word)
	}
	return fmt.Sprint(n.scalar)
}
