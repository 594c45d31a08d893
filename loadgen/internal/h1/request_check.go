package h1

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// check reports everything that keeps spec from being one well-formed request.
// A CR, LF or NUL in any part would let the part end early and begin another
// line or another request, which no count would show.
func (spec RequestSpec) check() error {
	return errors.Join(
		checkMethod(spec.Method),
		checkTarget(spec.Target, spec.Method),
		spec.checkHost(),
		checkFields(spec.Header),
		spec.checkLength(),
	)
}

func checkMethod(method string) error {
	if !isToken(method) {
		return fmt.Errorf("method %q is not a token", method)
	}
	if method == "CONNECT" {
		return errors.New("method CONNECT opens a tunnel, which is no load")
	}
	return nil
}

// checkTarget accepts the origin, absolute and asterisk forms of RFC 9112
// section 3.2.
func checkTarget(target, method string) error {
	if o, bad := firstNotVisible(target); bad {
		return fmt.Errorf("target %q holds %q, which has to be percent-encoded", target, o)
	}
	if strings.Contains(target, "#") {
		return fmt.Errorf("target %q has a fragment, which is never sent", target)
	}
	if target == "*" && method != "OPTIONS" {
		return fmt.Errorf("target * goes with OPTIONS only, not with %s", method)
	}
	if target != "*" && !strings.HasPrefix(target, "/") && !strings.Contains(target, "://") {
		return fmt.Errorf("target %q is neither a path nor an absolute URL", target)
	}
	return nil
}

// checkHost checks the one value that is sent. An empty one has to be meant:
// it is accepted as a Host field of the caller's only.
func (spec RequestSpec) checkHost() error {
	own := 0
	for _, f := range spec.Header {
		if isName(f, "Host") {
			own++
		}
	}
	if own > 1 {
		return fmt.Errorf("%d host fields, of which a server has to refuse the request (RFC 9112 section 3.2)", own)
	}
	host := spec.hostValue()
	if host == "" && own == 0 {
		return errors.New("no host")
	}
	if _, bad := firstNotVisible(host); bad || strings.ContainsAny(host, `/?#@\`) {
		return fmt.Errorf("host %q is not a name or an address with an optional port", host)
	}
	return nil
}

func checkFields(header []Field) error {
	var faults []error
	for i, f := range header {
		if !isToken(f.Name) {
			faults = append(faults, fmt.Errorf("header field %d: name %q is not a token", i+1, f.Name))
		}
		if hasControl([]byte(f.Value)) {
			faults = append(faults, fmt.Errorf("header field %d: value of %q holds a control character", i+1, f.Name))
		}
		if isName(f, "Transfer-Encoding") {
			faults = append(faults, fmt.Errorf("header field %d: %s: bodies are sent with their length only", i+1, f.Name))
		}
	}
	return errors.Join(faults...)
}

// checkLength holds a Content-Length of the caller's against the body.
func (spec RequestSpec) checkLength() error {
	var faults []error
	want, own := strconv.Itoa(len(spec.Body)), 0
	for _, f := range spec.Header {
		if !isName(f, "Content-Length") {
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

// isToken reports whether s is a token, RFC 9110 section 5.6.2.
func isToken(s string) bool {
	for i := range len(s) {
		if !token[s[i]] {
			return false
		}
	}
	return s != ""
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
