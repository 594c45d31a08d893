package suite

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// flow writes values of YAML on one line, where they can stand in a block as well as
// in brackets.
type flow struct {
	json bool                // quotes every text, as JSON has it
	text func(string) string // replaces placeholders; nil: none
}

// value returns the text of n. Scalars keep their spelling: 010 stays 010, and "off"
// in quotes is quoted. bad is a node that has no text of its own, such as an alias.
func (w flow) value(n ast.Node) (text string, bad ast.Node) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return w.mapping(n)
	case *ast.SequenceNode:
		var entries []string
		for _, entry := range n.Values {
			text, bad := w.value(entry)
			if bad != nil {
				return "", bad
			}
			entries = append(entries, text)
		}
		return "[" + strings.Join(entries, ", ") + "]", nil
	case *ast.NullNode:
		return "null", nil
	case *ast.StringNode:
		return w.scalar(n.Value, n.Token.Type == token.StringType), nil
	}
	if text, ok := scalarText(n); ok {
		if _, isBlock := n.(*ast.LiteralNode); isBlock {
			return w.scalar(text, false), nil
		}
		return text, nil
	}
	return "", n
}

func (w flow) mapping(n *ast.MappingNode) (text string, bad ast.Node) {
	var entries []string
	for _, entry := range n.Values {
		if _, plain := scalarText(entry.Key); !plain {
			return "", entry.Key
		}
		key, bad := flow{json: w.json}.value(entry.Key) // keys have no placeholders
		if bad != nil {
			return "", bad
		}
		value, bad := w.value(entry.Value)
		if bad != nil {
			return "", bad
		}
		entries = append(entries, key+": "+value)
	}
	return "{" + strings.Join(entries, ", ") + "}", nil
}

// plainFlow is what needs no quotes anywhere: less than YAML allows.
var plainFlow = regexp.MustCompile(`^[A-Za-z0-9_./+=~-]([A-Za-z0-9_./+@%=~-]| [A-Za-z0-9_./+@%=~-]|:[A-Za-z0-9_./])*$`)

// scalar writes a text. One that is nothing but a placeholder is written without
// quotes when that is replaced, so that "{port}" becomes a number.
func (w flow) scalar(text string, isPlain bool) string {
	if w.text != nil {
		loc := placeholder.FindStringIndex(text)
		whole := len(loc) == 2 && loc[0] == 0 && loc[1] == len(text) && !strings.HasPrefix(text, "{{")
		before := text
		text = w.text(text)
		isPlain = isPlain || whole && text != before
	}
	if isPlain && !w.json && plainFlow.MatchString(text) {
		return text
	}
	return quote(text)
}

// quote writes a text in the quotes of JSON, which are those of YAML.
func quote(text string) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a text always has a form
	return strings.TrimSuffix(out.String(), "\n")
}

// expandFlow replaces the placeholders of a value that [flow] has written.
func expandFlow(value string, text func(string) string) string {
	return rewrite(value, flow{text: text})
}

// asJSON is a value that [flow] has written, with every text in quotes.
func asJSON(value string) string { return rewrite(value, flow{json: true}) }

func rewrite(value string, as flow) string {
	tree, err := parseTree([]byte(value))
	if err != nil || len(tree.Docs) != 1 {
		return value // flow has not written this
	}
	if text, bad := as.value(tree.Docs[0].Body); bad == nil {
		return text
	}
	return value
}
