package main

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/suite"
)

// columnMap says where the cells of our columns come from.
type columnMap struct {
	file  string
	cells map[string]source // by our column
}

// source is where a cell comes from: a column of theirs, or a text that all have.
type source struct {
	column string
	value  string
	scale  float64 // from their unit to ours; 0: the text is taken as it is
	line   int     // of the map
}

// importColumn is a column of summary.csv that may be imported, with its unit; "" where
// it has none. What others cannot know, such as identity samples, is not among them.
type importColumn struct{ name, unit string }

func importColumns() []importColumn {
	return []importColumn{
		{"round", ""}, {"run", ""}, {"slot", ""}, {"variant", ""}, {"mode", ""}, {"scenario", ""}, {"start_utc", ""},
		{"duration_s", "s"}, {"requests", ""}, {"rps", "/s"}, {"status_2xx", ""}, {"status_other", ""}, {"errors", ""}, {"bytes", ""},
		{"p50_ms", "ms"}, {"p90_ms", "ms"}, {"p99_ms", "ms"}, {"p999_ms", "ms"}, {"max_ms", "ms"},
		{"cpu_us", "us"}, {"cpu_us_app", "us"}, {"server_busy", "1"}, {"app_busy", "1"}, {"generator_busy", "1"}, {"rss_kib", "KiB"}, {"exe_sha256", ""},
	}
}

// unitFamilies are the units that can be turned into each other, by what one is in the first.
func unitFamilies() []map[string]float64 {
	return []map[string]float64{
		{"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60},
		{"KiB": 1, "B": 1.0 / 1024, "MiB": 1024, "GiB": 1024 * 1024, "kB": 1000.0 / 1024, "MB": 1e6 / 1024, "GB": 1e9 / 1024},
		{"1": 1, "%": 0.01},
		{"/s": 1, "/min": 1.0 / 60, "k/s": 1000},
	}
}

// scaleOf is by what a number in one unit is multiplied to be in another. known are the
// units that can be turned into ours.
func scaleOf(theirs, ours string) (scale float64, known []string) {
	for _, family := range unitFamilies() {
		if in, ok := family[ours]; ok {
			known = slices.Sorted(maps.Keys(family))
			return family[theirs] / in, known
		}
	}
	return 0, nil
}

// readColumnMap reads a map, and tells everything that is wrong with it.
func readColumnMap(file string) (*columnMap, error) {
	text, err := readGiven(file)
	if err != nil {
		return nil, err
	}
	return parseColumnMap(file, text)
}

func parseColumnMap(file string, text []byte) (*columnMap, error) {
	r := mapReader{columnMap: columnMap{file: file, cells: map[string]source{}}}
	r.read(text)
	if len(r.faults) > 0 {
		return nil, usageError{r.faults}
	}
	return &r.columnMap, nil
}

// mapReader reads a map and collects its faults.
type mapReader struct {
	columnMap
	faults record.Faults
}

func (r *mapReader) fault(line int, text string) {
	r.faults = append(r.faults, record.Fault{File: r.file, Line: line, Text: text})
}

// mapBytesMax keeps the YAML library's time short, which grows with the square of a
// file's length.
const mapBytesMax = 64 << 10

func (r *mapReader) read(text []byte) {
	if len(text) > mapBytesMax {
		r.fault(0, "this is no map: it is too long")
		return
	}
	tree, err := parser.ParseBytes(text, 0)
	if err != nil {
		r.syntaxFault(err)
		return
	}
	for _, doc := range tree.Docs {
		if doc.Body == nil {
			continue // comments only
		}
		mapping, is := doc.Body.(ast.MapNode)
		if !is {
			r.fault(doc.Body.GetToken().Position.Line, "want lines of OURS: THEIRS")
			continue
		}
		for pairs := mapping.MapRange(); pairs.Next(); {
			r.pair(pairs.Key(), pairs.Value())
		}
	}
	if len(r.cells) == 0 && len(r.faults) == 0 {
		r.fault(0, "no column in it, want lines of OURS: THEIRS")
	}
}

// syntaxFault records an error of the YAML library with the place that it carries.
func (r *mapReader) syntaxFault(err error) {
	var placed interface {
		GetToken() *token.Token
		GetMessage() string
	}
	if errors.As(err, &placed) && placed.GetToken() != nil {
		r.fault(placed.GetToken().Position.Line, "no YAML: "+placed.GetMessage())
		return
	}
	r.fault(0, "no YAML: "+err.Error())
}

// pair reads one column of ours.
func (r *mapReader) pair(key, value ast.Node) {
	ours, line := key.GetToken().Value, key.GetToken().Position.Line
	known := importColumns()
	i := slices.IndexFunc(known, func(c importColumn) bool { return c.name == ours })
	if i < 0 {
		names := make([]string, len(known))
		for j, c := range known {
			names[j] = c.name
		}
		hint := "; known are " + strings.Join(names, ", ")
		if near := suite.Nearest(ours, names); near != "" {
			hint = "; did you mean " + near + "?"
		}
		r.fault(line, "no column of ours is called "+ours+hint)
		return
	}
	if _, twice := r.cells[ours]; twice {
		r.fault(line, ours+" is there twice")
		return
	}
	s := source{line: line}
	switch v := value.(type) {
	case *ast.NullNode: // a scalar too, without a text of its own
	case ast.ScalarNode:
		s.column = v.GetToken().Value
	case ast.MapNode:
		r.details(&s, v, known[i])
	}
	if s.column == "" && s.value == "" {
		r.fault(line, ours+": want a column of theirs, {column: THEIRS, unit: UNIT} or {value: TEXT}")
		return
	}
	r.cells[ours] = s
}

// details reads {column: THEIRS, unit: UNIT} or {value: TEXT}.
func (r *mapReader) details(s *source, mapping ast.MapNode, ours importColumn) {
	for pairs := mapping.MapRange(); pairs.Next(); {
		key, line := pairs.Key().GetToken().Value, pairs.Key().GetToken().Position.Line
		scalar, plain := pairs.Value().(ast.ScalarNode)
		if !plain {
			r.fault(line, ours.name+": "+key+": want a text")
			continue
		}
		text := scalar.GetToken().Value
		switch key {
		case "column":
			s.column = text
		case "value":
			s.value = text
		case "unit":
			scale, known := scaleOf(text, ours.unit)
			if scale == 0 {
				what := ours.name + " has no unit"
				if len(known) > 0 {
					what = ours.name + ": unit " + text + ", want one of " + strings.Join(known, ", ")
				}
				r.fault(line, what)
			}
			s.scale = scale
		default:
			r.fault(line, ours.name+": unknown key "+key+", want column and unit, or value")
		}
	}
	if s.column != "" && s.value != "" {
		r.fault(s.line, ours.name+": want a column or a value, not both")
	}
}
