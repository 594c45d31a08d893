package loadgen

import (
	"net/url"
	"strings"

	"github.com/scalws/scalbench/loadgen/internal/h1"
	"github.com/scalws/scalbench/loadgen/internal/h2"
	"github.com/scalws/scalbench/loadgen/internal/h3"
	"github.com/scalws/scalbench/loadgen/internal/request"
)

// renders tells whether the request can be written in a protocol.
func (t Target) renders(p Protocol) (err error) {
	switch p {
	case HTTP2:
		_, err = t.renderH2()
	case HTTP3:
		_, err = t.renderH3()
	default:
		_, err = t.renderH1()
	}
	return err
}

// renderH1 makes the request's bytes for HTTP/1.1.
func (t Target) renderH1() (h1.Request, error) {
	u, err := t.parsedURL()
	if err != nil {
		return h1.Request{}, err
	}
	spec := h1.RequestSpec{Method: t.Method, Target: u.RequestURI(), Host: t.authority(u), Body: t.Body}
	for _, f := range t.fields() {
		spec.Header = append(spec.Header, h1.Field(f))
	}
	return h1.Render(spec)
}

// renderH2 makes its header blocks for HTTP/2.
func (t Target) renderH2() (h2.Request, error) {
	u, err := t.parsedURL()
	if err != nil {
		return h2.Request{}, err
	}
	return h2.Render(t.spec(u))
}

// renderH3 makes what is sent on a stream of HTTP/3.
func (t Target) renderH3() (h3.Request, error) {
	u, err := t.parsedURL()
	if err != nil {
		return h3.Request{}, err
	}
	return h3.Render(t.spec(u))
}

// spec is what both send.
func (t Target) spec(u *url.URL) request.Spec {
	spec := request.Spec{Method: t.Method, Scheme: u.Scheme, Authority: t.authority(u), Path: u.RequestURI(), Body: t.Body}
	for _, f := range t.fields() {
		spec.Header = append(spec.Header, request.Field(f))
	}
	return spec
}

// authority is the host that is asked for, with the URL's port.
func (t Target) authority(u *url.URL) string {
	if t.Host != "" {
		return t.Host
	}
	return u.Host
}

// fields are the header fields beside the host: User-Agent and Accept, each
// unless the caller's own header has it, then the caller's header.
func (t Target) fields() []Field {
	var fields []Field
	for _, f := range []Field{{"User-Agent", userAgent}, {"Accept", "*/*"}} {
		if !t.has(f.Name) {
			fields = append(fields, f)
		}
	}
	return append(fields, t.Header...)
}

// userAgent names us without a version: two versions of the generator must
// send the same bytes, or their results cannot be compared.
const userAgent = "scalbench"

func (t Target) has(name string) bool {
	for _, f := range t.Header {
		if strings.EqualFold(f.Name, name) {
			return true
		}
	}
	return false
}
