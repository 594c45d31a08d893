package suite

import (
	"bytes"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// spans finds where nodes stand in the bytes of a file. The library would print the
// whole file anew, in its own layout; an edit is to change nothing else.
type spans struct {
	text  []byte
	lines []int // where each begins
}

func newSpans(text []byte) spans {
	s := spans{text: text, lines: []int{0}}
	for i, c := range text {
		if c == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}

// offset returns where a line and column, in characters, is; the end of the text for
// a place behind it.
func (s spans) offset(line, column int) int {
	if line > len(s.lines) {
		return len(s.text)
	}
	at := s.lines[line-1]
	for ; column > 1 && at < len(s.text); column-- {
		_, size := utf8.DecodeRune(s.text[at:])
		at += size
	}
	return at
}

func (s spans) start(n ast.Node) int {
	line, column := position(n)
	return s.offset(line, column)
}

// after returns the end of what a token ends: the next token's begin, less the space
// before it. Comments are tokens.
func (s spans) after(tk *token.Token) int {
	end := len(s.text)
	if tk.Next != nil {
		end = s.offset(tk.Next.Position.Line, tk.Next.Position.Column)
	}
	return len(bytes.TrimRight(s.text[:end], " \t\r\n"))
}

// valueEnd returns the end of a value. One that is not there ends behind what it
// would follow, a colon or a dash.
func (s spans) valueEnd(n ast.Node, follows *token.Token) int {
	if s.isMissing(n) {
		return s.offset(follows.Position.Line, follows.Position.Column) + 1
	}
	return s.after(lastToken(n))
}

// isMissing tells a null that is not written.
func (s spans) isMissing(n ast.Node) bool {
	if _, isNull := n.(*ast.NullNode); !isNull {
		return false
	}
	at := s.text[s.start(n):]
	for _, word := range []string{"null", "Null", "NULL", "~"} {
		if bytes.HasPrefix(at, []byte(word)) {
			return false
		}
	}
	return true
}

// lastToken returns the token that ends a node.
func lastToken(n ast.Node) *token.Token {
	switch n := n.(type) {
	case *ast.MappingNode:
		if last := len(n.Values) - 1; !n.IsFlowStyle && last >= 0 {
			return lastToken(n.Values[last].Value)
		}
		return n.End
	case *ast.SequenceNode:
		if last := len(n.Values) - 1; !n.IsFlowStyle && last >= 0 {
			return lastToken(n.Values[last])
		}
		return n.End
	case *ast.LiteralNode:
		return n.Value.GetToken()
	case *ast.AnchorNode:
		return lastToken(n.Value)
	case *ast.TagNode:
		return lastToken(n.Value)
	case *ast.AliasNode:
		return lastToken(n.Value)
	}
	return n.GetToken()
}

// entry returns where an entry of a mapping or a list begins and ends, and the token
// between its key, or dash, and its value.
func (s spans) entry(parent ast.Node, i int) (from, to int, follows *token.Token) {
	switch p := parent.(type) {
	case *ast.MappingNode:
		v := p.Values[i]
		return s.start(v.Key), s.valueEnd(v.Value, v.Start), v.Start
	case *ast.SequenceNode:
		if p.IsFlowStyle {
			return s.start(p.Values[i]), s.valueEnd(p.Values[i], p.Start), p.Start
		}
		dash := p.Entries[i].Start
		return s.offset(dash.Position.Line, dash.Position.Column), s.valueEnd(p.Values[i], dash), dash
	}
	return 0, 0, nil
}
