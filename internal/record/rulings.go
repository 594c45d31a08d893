package record

import (
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// RulingsFile is the file in which people write down what they decided about rows
// that failed.
const RulingsFile = "rulings.yaml"

// Ruling is what a person decided about a row that failed. It changes no verdict.
type Ruling struct {
	Row  string // as the gate names rows: [MODE/]SCENARIO, or that and " NEW/BASE"
	Date string // 2026-11-07
	By   string
	Text string
}

// rulingsBytesMax keeps the YAML library's time short, which grows with the square
// of a file's length.
const rulingsBytesMax = 64 << 10

// ReadRulings reads a rulings.yaml: a list of mappings with the keys row, date, by
// and text, all of which must be there. name is the file's, for faults. The error is
// a [Faults] with everything that is wrong.
func ReadRulings(in io.Reader, name string) ([]Ruling, error) {
	faults := &faultList{file: name}
	rulings := readRulings(in, faults)
	if err := faults.err(); err != nil {
		return nil, err
	}
	return rulings, nil
}

func readRulings(in io.Reader, faults *faultList) []Ruling {
	text, ok := readText(in, faults)
	if ok && len(text) > rulingsBytesMax {
		faults.at(0, "%d bytes, expected at most %d", len(text), rulingsBytesMax)
		ok = false
	}
	if !ok {
		return nil
	}
	tree, err := parser.ParseBytes([]byte(text), 0)
	if err != nil {
		yamlFault(err, faults)
		return nil
	}
	var rulings []Ruling
	for _, doc := range tree.Docs {
		if doc.Body == nil {
			continue // comments only
		}
		list, is := doc.Body.(*ast.SequenceNode)
		if !is {
			faults.at(doc.Body.GetToken().Position.Line, "expected a list of rulings, each with row, date, by and text")
			continue
		}
		for _, entry := range list.Values {
			rulings = append(rulings, readRuling(entry, faults))
		}
	}
	return rulings
}

// yamlFault records an error of the YAML library with the place that it carries.
func yamlFault(err error, faults *faultList) {
	var placed interface {
		GetToken() *token.Token
		GetMessage() string
	}
	if errors.As(err, &placed) && placed.GetToken() != nil {
		faults.at(placed.GetToken().Position.Line, "no YAML: %s", placed.GetMessage())
		return
	}
	faults.at(0, "no YAML: %v", err)
}

// rulingField is a key of a ruling and the place of its value.
type rulingField struct {
	key  string
	text *string
}

// readRuling reads one entry of the list.
func readRuling(entry ast.Node, faults *faultList) (r Ruling) {
	line := entry.GetToken().Position.Line
	mapping, is := entry.(ast.MapNode)
	if !is {
		faults.at(line, "expected a mapping with row, date, by and text")
		return r
	}
	fields := []rulingField{{"row", &r.Row}, {"date", &r.Date}, {"by", &r.By}, {"text", &r.Text}}
	var seen []string
	for pairs := mapping.MapRange(); pairs.Next(); {
		key := pairs.Key().GetToken().Value
		at := pairs.Key().GetToken().Position.Line
		i := slices.IndexFunc(fields, func(f rulingField) bool { return f.key == key })
		scalar, plain := pairs.Value().(ast.ScalarNode)
		switch {
		case i < 0:
			faults.at(at, "unknown key %q, expected row, date, by or text", key)
		case slices.Contains(seen, key):
			faults.at(at, "%s is there twice", key)
		case !plain:
			faults.at(at, "%s: expected a text", key)
		default:
			*fields[i].text = scalarText(scalar)
		}
		seen = append(seen, key)
	}
	for _, f := range fields {
		if !slices.Contains(seen, f.key) {
			faults.at(line, "no %s", f.key)
		} else if strings.TrimSpace(*f.text) == "" {
			faults.at(line, "%s: nothing", f.key)
		}
	}
	if _, err := time.Parse(time.DateOnly, r.Date); r.Date != "" && err != nil {
		faults.at(line, "date %q, expected one such as 2026-11-07", r.Date)
	}
	return r
}

// scalarText is the text of a scalar as it is written: a date stays a date.
func scalarText(node ast.ScalarNode) string {
	if block, is := node.(*ast.LiteralNode); is {
		return strings.TrimSuffix(block.Value.Value, "\n")
	}
	return node.GetToken().Value
}
