// Package request says what HTTP/2 and HTTP/3 send for a request, as far as they agree: which
// fields, in which order, and what is none. How fields are encoded is the codecs'.
//
// A [Spec] is checked and listed by [Spec.Fields], once for all connections: spec.go, then
// check.go.
package request
