package suite

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// The library's time grows with the square of lines and of nesting: 64 KiB of
// short lines take it a second, 400 000 bytes of them most of a minute, and
// deep nesting more. A suite of a hundred scenarios has some 30 KiB.
const (
	maxFileBytes = 64 << 10
	maxOpeners   = 4000 // lists, mappings and list entries in one file
)

var byteOrderMark = []byte("\ufeff")

// Parser reads suites. The zero value reads from the host's files, and takes any
// text for a rate.
type Parser struct {
	// FS has the files that suites name; nil: the host's. Paths that leave it by ..
	// are not in it.
	FS fs.FS

	// Params are values for what the suite declares under params.
	Params map[string]string

	// CheckRate returns what is wrong with the rate of an open load, in a sentence
	// that quotes it; nil: whatever it is. The notation is that of loadgen.ParseRate,
	// which this package is beside and not above.
	CheckRate func(text string) error
}

// Parse reads a suite with the zero [Parser].
func Parse(name string, data []byte) (*Suite, error) { return Parser{}.Parse(name, data) }

// Parse reads a suite. name is the file's name, for faults and for files that stand
// beside it.
//
// The error is a [Faults] with everything that is wrong; the suite is nil then.
// A file that is no YAML at all has one fault, the first. Files of variants and
// scenarios are read with it, configurations are not: [Parser.Load] does both.
func (p Parser) Parse(name string, data []byte) (*Suite, error) {
	return p.parse(name, data, false)
}

func (p Parser) parse(name string, data []byte, withConfigs bool) (*Suite, error) {
	j := &job{parser: p, withConfigs: withConfigs, sources: []Source{{Path: name, Data: data}}}
	r := j.newReader(name, "a suite")
	var s *Suite
	if root := r.document(data); root != nil {
		s = r.suite(root)
	}
	if faults := j.faults(); len(faults) > 0 {
		return nil, faults
	}
	s.Sources = j.sources
	return s, nil
}

// document returns the root of the file's syntax tree, nil after a fault.
func (r *reader) document(data []byte) ast.Node {
	data = bytes.TrimPrefix(data, byteOrderMark)
	if len(data) > maxFileBytes {
		r.faultAt(1, 1, "the file has %d bytes, expected at most %d", len(data), maxFileBytes)
		return nil
	}
	if !utf8.Valid(data) {
		line, column := invalidUTF8(data)
		r.faultAt(line, column, "a byte that is not UTF-8 text")
		return nil
	}
	tree, err := parseTree(data)
	if err != nil {
		r.syntaxFault(err)
		return nil
	}
	return r.onlyDocument(tree)
}

// parseTree runs the library. Duplicate keys pass: they are told by fields,
// all of them.
func parseTree(data []byte) (*ast.File, error) {
	tokens := lexer.Tokenize(string(data))
	openers := 0
	for _, tk := range tokens {
		switch tk.Type {
		case token.SequenceEntryType, token.SequenceStartType, token.MappingStartType:
			openers++
		}
		if openers > maxOpeners {
			return nil, &syntaxError{at: tk, text: fmt.Sprintf("more than %d lists, mappings and list entries", maxOpeners)}
		}
	}
	return parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
}

// syntaxError is an error of the library's kind that this package makes.
type syntaxError struct {
	at   *token.Token
	text string
}

func (e *syntaxError) Error() string          { return e.text }
func (e *syntaxError) GetToken() *token.Token { return e.at }
func (e *syntaxError) GetMessage() string     { return e.text }

// syntaxFault records an error of parseTree with the position it carries.
func (r *reader) syntaxFault(err error) {
	var placed interface {
		GetToken() *token.Token
		GetMessage() string
	}
	if !errors.As(err, &placed) || placed.GetToken() == nil {
		r.faultAt(1, 1, "no YAML: %s", strings.TrimSpace(err.Error()))
		return
	}
	pos := placed.GetToken().Position
	r.faultAt(pos.Line, pos.Column, "no YAML: %s", placed.GetMessage())
}

// onlyDocument returns the content of the file's one document, nil after a
// fault.
func (r *reader) onlyDocument(tree *ast.File) ast.Node {
	var root ast.Node
	for _, doc := range tree.Docs {
		switch {
		case doc.Body == nil: // comments only
		case root != nil:
			r.fault(doc.Body, "a second document, expected %s alone", r.holds)
			return nil
		case doc.Body.Type() == ast.DirectiveType:
			r.fault(doc.Body, "a YAML directive, expected none")
			return nil
		default:
			root = doc.Body
		}
	}
	if root == nil {
		r.faultAt(1, 1, "empty, expected %s", r.holds)
	}
	return root
}

// invalidUTF8 returns the place of the first byte of data that is not UTF-8.
func invalidUTF8(data []byte) (line, column int) {
	line, column = 1, 1
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && size == 1:
			return line, column
		case r == '\n':
			line, column = line+1, 1
		default:
			column++
		}
		data = data[size:]
	}
	return line, column
}
