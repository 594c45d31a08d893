package suite

import (
	"regexp"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// A field name is a token (RFC 9110, 5.1 and 5.6.2).
var validHeaderName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// headers reads fields of a request, in order: a mapping, or a list of
// mappings, in which a name may be repeated.
func (r *reader) headers(f field) []Header {
	list, isList := f.val.(*ast.SequenceNode)
	if !isList {
		return r.headerMapping(f.val)
	}
	var headers []Header
	for _, entry := range list.Values {
		headers = append(headers, r.headerMapping(entry)...)
	}
	return headers
}

// headerMapping reads a mapping of names to values. Names are compared without
// their case.
func (r *reader) headerMapping(n ast.Node) []Header {
	fields, _ := r.mapping(n, "headers")
	lineOf := make(map[string]int, len(fields))
	var headers []Header
	for _, f := range fields {
		line, _ := position(f.name)
		lower := strings.ToLower(f.key)
		if first, twice := lineOf[lower]; twice {
			r.fault(f.name, "header %q is there twice, first on line %d; a list of headers may repeat it", f.key, first)
			continue
		}
		lineOf[lower] = line
		if header, ok := r.header(f); ok {
			headers = append(headers, header)
		}
	}
	return headers
}

func (r *reader) header(f field) (header Header, ok bool) {
	value, ok := r.text(f, `the text of a header, "" for an empty one`)
	if !ok {
		return Header{}, false
	}
	if !validHeaderName.MatchString(f.key) {
		r.fault(f.name, "header name %q, expected letters, digits and - only", f.key)
		ok = false
	}
	// CR, LF and NUL would break the request's framing (RFC 9110, 5.5); the
	// other control characters but tab are refused with them.
	if strings.ContainsFunc(value, func(c rune) bool { return isControl(c) && c != '\t' }) {
		r.fault(f.val, "header %s: expected one line without control characters", f.key)
		ok = false
	}
	return Header{Name: f.key, Value: value}, ok
}
