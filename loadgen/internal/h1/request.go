package h1

import (
	"slices"
	"strconv"
	"strings"
)

// Field is one header field line.
type Field struct{ Name, Value string }

// RequestSpec describes a request.
type RequestSpec struct {
	Method string  // e.g. "GET"; case counts
	Target string  // request-target as it goes on the wire, e.g. "/x?y"
	Host   string  // value of Host; a Host in Header replaces it
	Header []Field // sent in this order, repeated names included
	Body   []byte
}

// Request is a rendered request. It is immutable and shared by connections.
type Request struct {
	Keep  []byte // leaves it to the server to keep the connection open
	Close []byte // the same with Connection: close
	Head  bool   // the method is HEAD: no response has a body
	Once  bool   // Keep says close too: the caller's own Connection field does
}

// Render checks spec and renders its bytes (RFC 9112 section 3). All faults
// are reported at once, joined.
//
// Host stands first, as RFC 9110 section 7.2 recommends, then Header, then
// Content-Length when there is a body or the method is one that is expected to
// have one (section 8.6), then Connection: close. A Content-Length of the
// caller's takes the place of ours and has to be right. Connection fields of the
// caller's are sent as they are, but in Close they lose the option keep-alive.
func Render(spec RequestSpec) (Request, error) {
	if err := spec.check(); err != nil {
		return Request{}, err
	}
	asked := slices.ContainsFunc(spec.Header, func(f Field) bool {
		return isName(f, "Connection") && hasOption(f.Value, "close")
	})
	return Request{
		Keep:  spec.render(false, asked),
		Close: spec.render(true, asked),
		Head:  spec.Method == "HEAD",
		Once:  asked,
	}, nil
}

// render writes the request. closes asks for one that says Connection: close,
// asked tells that the caller's own fields do.
func (spec RequestSpec) render(closes, asked bool) []byte {
	b := make([]byte, 0, spec.sizeBytes())
	b = append(b, spec.Method+" "+spec.Target+" HTTP/1.1\r\n"...)
	b = appendField(b, Field{"Host", spec.hostValue()})
	ownLength := false
	for _, f := range spec.Header {
		switch {
		case isName(f, "Host"):
			continue
		case isName(f, "Content-Length"):
			ownLength = true
		case isName(f, "Connection") && closes:
			if f.Value = withoutOption(f.Value, "keep-alive"); f.Value == "" {
				continue
			}
		}
		b = appendField(b, f)
	}
	if !ownLength && (len(spec.Body) > 0 || expectsBody(spec.Method)) {
		b = appendField(b, Field{"Content-Length", strconv.Itoa(len(spec.Body))})
	}
	if closes && !asked {
		b = appendField(b, Field{"Connection", "close"})
	}
	b = append(b, "\r\n"...)
	return append(b, spec.Body...)
}

// sizeBytes is an upper bound of what render writes.
func (spec RequestSpec) sizeBytes() int {
	const ours = len(" ") + len(" HTTP/1.1\r\n") + len("Host: \r\n") +
		len("Content-Length: 9223372036854775807\r\n") + len("Connection: close\r\n") + len("\r\n")
	size := ours + len(spec.Method) + len(spec.Target) + len(spec.Host) + len(spec.Body)
	for _, f := range spec.Header {
		size += len(f.Name) + len(": ") + len(f.Value) + len("\r\n")
	}
	return size
}

func appendField(b []byte, f Field) []byte {
	return append(b, f.Name+": "+f.Value+"\r\n"...)
}

// hostValue returns the caller's own Host, or else spec.Host.
func (spec RequestSpec) hostValue() string {
	for _, f := range spec.Header {
		if isName(f, "Host") {
			return f.Value
		}
	}
	return spec.Host
}

// expectsBody reports whether the method defines a meaning for a body, so that
// a request without one says Content-Length: 0 (RFC 9110 section 8.6).
func expectsBody(method string) bool {
	return method == "POST" || method == "PUT" || method == "PATCH"
}

func isName(f Field, name string) bool { return strings.EqualFold(f.Name, name) }

// hasOption reports whether a Connection value lists option.
func hasOption(value, option string) bool {
	return slices.ContainsFunc(options(value), func(o string) bool { return strings.EqualFold(o, option) })
}

// withoutOption returns a Connection value less option; "": nothing is left.
func withoutOption(value, option string) string {
	if !hasOption(value, option) {
		return value
	}
	left := slices.DeleteFunc(options(value), func(o string) bool { return strings.EqualFold(o, option) })
	return strings.Join(left, ", ")
}

// options splits a Connection value; empty items are dropped.
func options(value string) []string {
	var items []string
	for item := range strings.SplitSeq(value, ",") {
		if item = strings.Trim(item, " \t"); item != "" {
			items = append(items, item)
		}
	}
	return items
}
