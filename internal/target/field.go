package target

import (
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"
	"golang.org/x/net/http/httpguts"
)

// field is one of a head.
type field struct{ name, value string }

// ownFields are what the server says itself, or what is about a connection: said
// twice they would make answers that no client has to understand. With /fault
// there are such answers.
var ownFields = []string{
	"Allow", "Alt-Svc", "Cache-Status", "Connection", "Content-Length", "Content-Type", "Date", "Keep-Alive",
	"Proxy-Connection", "Server", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// parseField reads "Name: value".
func parseField(text string) (field, error) {
	name, value, found := strings.Cut(text, ":")
	f := field{textproto.CanonicalMIMEHeaderKey(name), strings.Trim(value, " \t")}
	switch {
	case !found || !httpguts.ValidHeaderFieldName(name):
		return field{}, fmt.Errorf(`header %q: expected "Name: value"`, text)
	case !httpguts.ValidHeaderFieldValue(f.value):
		return field{}, fmt.Errorf("header %q: its value holds a control character", text)
	case slices.Contains(ownFields, f.name):
		return field{}, fmt.Errorf("header %q: %s is what the server says itself", text, f.name)
	}
	return f, nil
}

// fields returns those of Headers, and all of their faults joined.
func (c Config) fields() ([]field, error) {
	var (
		all    []field
		faults []error
	)
	for _, text := range c.Headers {
		f, err := parseField(text)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		all = append(all, f)
	}
	return all, errors.Join(faults...)
}

// addingFields has every answer of a handler carry the fields too. Without any it
// costs nothing.
func addingFields(fields []field, handle fasthttp.RequestHandler) fasthttp.RequestHandler {
	if len(fields) == 0 {
		return handle
	}
	return func(ctx *fasthttp.RequestCtx) {
		handle(ctx) // before, for an error makes the answer anew
		for _, f := range fields {
			ctx.Response.Header.Add(f.name, f.value)
		}
	}
}

// addingFieldsSecure is addingFields of net/http's side.
func addingFieldsSecure(fields []field, handle http.HandlerFunc) http.HandlerFunc {
	if len(fields) == 0 {
		return handle
	}
	shared := http.Header{} // its values are copied, and changed by nobody
	for _, f := range fields {
		shared.Add(f.name, f.value)
	}
	return func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		for name, values := range shared {
			header[name] = values
		}
		handle(w, r)
	}
}
