package request

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// check reports everything that keeps spec from being one well-formed request.
func (spec Spec) check(v Version) error {
	faults := []error{
		checkMethod(spec.Method),
		checkPath(spec.Path, spec.Method),
		spec.checkAuthority(),
		spec.checkLength(),
	}
	if spec.Scheme != "http" && spec.Scheme != "https" {
		faults = append(faults, fmt.Errorf("scheme %q is neither http nor https", spec.Scheme))
	}
	for i, f := range spec.Header {
		if err := checkField(f, v); err != nil {
			faults = append(faults, fmt.Errorf("header field %d: %w", i+1, err))
		}
	}
	return errors.Join(faults...)
}

func checkMethod(method string) error {
	if !httpguts.ValidHeaderFieldName(method) { // both are tokens
		return fmt.Errorf("method %q is not a token", method)
	}
	if method == "CONNECT" {
		return errors.New("method CONNECT opens a tunnel, which is no load")
	}
	return nil
}

// checkPath accepts what RFC 9113 section 8.3.1 and RFC 9114 section 4.3.1 want of
// :path.
func checkPath(path, method string) error {
	if o, bad := firstNotVisible(path); bad {
		return fmt.Errorf("path %q holds %q, which has to be percent-encoded", path, o)
	}
	switch {
	case strings.Contains(path, "#"):
		return fmt.Errorf("path %q has a fragment, which is never sent", path)
	case path == "*" && method != "OPTIONS":
		return fmt.Errorf("path * goes with OPTIONS only, not with %s", method)
	case path != "*" && !strings.HasPrefix(path, "/"):
		return fmt.Errorf("path %q does not begin with a slash", path)
	}
	return nil
}

// checkAuthority checks the one value that is sent. User information has no
// place in it (RFC 9113 section 8.3.1, RFC 9114 section 4.3.1).
func (spec Spec) checkAuthority() error {
	own := 0
	for _, f := range spec.Header {
		if strings.EqualFold(f.Name, "host") {
			own++
		}
	}
	if own > 1 {
		return fmt.Errorf("%d host fields, but there is one :authority", own)
	}
	authority := spec.authority()
	if authority == "" {
		return errors.New("no authority")
	}
	if _, bad := firstNotVisible(authority); bad || strings.ContainsAny(authority, `/?#@\`) {
		return fmt.Errorf("authority %q is not a name or an address with an optional port", authority)
	}
	return nil
}

// checkField refuses what has no place in a version, by name rather than by
// leaving it out: who asks for it is mistaken about what is sent.
func checkField(f Field, v Version) error {
	switch name := strings.ToLower(f.Name); {
	case !httpguts.ValidHeaderFieldName(f.Name):
		return fmt.Errorf("name %q is not a token", f.Name)
	case !httpguts.ValidHeaderFieldValue(f.Value):
		return fmt.Errorf("value of %q holds a control character", f.Name)
	case strings.Trim(f.Value, " \t") != f.Value:
		return fmt.Errorf("value of %q begins or ends with whitespace", f.Name)
	case name == "te" && !strings.EqualFold(f.Value, "trailers"):
		return fmt.Errorf("te: %s: %s knows trailers only (%s)", f.Value, v.name, v.fieldRules)
	case name == "connection" || name == "keep-alive" || name == "proxy-connection" ||
		name == "transfer-encoding" || name == "upgrade":
		return fmt.Errorf("%s is about an HTTP/1.1 connection and not allowed in %s (%s)", name, v.name, v.fieldRules)
	}
	return nil
}

// checkLength holds a content-length of the caller's against the body.
func (spec Spec) checkLength() error {
	var faults []error
	want, own := strconv.Itoa(len(spec.Body)), 0
	for _, f := range spec.Header {
		if !strings.EqualFold(f.Name, "content-length") {
			continue
		}
		own++
		if f.Value != want {
			faults = append(faults, fmt.Errorf("content-length %q, but the body has %s bytes", f.Value, want))
		}
	}
	if own > 1 {
		faults = append(faults, fmt.Errorf("%d content-length fields", own))
	}
	return errors.Join(faults...)
}

// firstNotVisible returns the first octet of s that is not visible ASCII.
func firstNotVisible(s string) (octet byte, found bool) {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return s[i], true
		}
	}
	return 0, false
}
