// Package certs makes certificates for tests of TLS on one host or in one
// network, in memory, and tells how long certificates are valid.
//
// Nothing that it makes is worth stealing for long: each CA signs one leaf, and
// its key is forgotten at once. Whoever trusts such a CA trusts that one leaf
// and nothing that somebody makes later.
//
// # Terms
//
//   - leaf: the certificate that a server shows, with its key.
//   - CA: the self-signed certificate that a client must know to verify the leaf.
//   - names: the host names and IP addresses that the leaf is for, as subject
//     alternative names (RFC 5280, 4.2.1.6; RFC 9110, 4.3.4).
//   - validity: from when to when a certificate may be used (RFC 5280, 4.1.2.5).
//
// # Flow
//
//  1. A [Request] says the names and the days; [Request.Validate] finds what is
//     wrong with it.
//  2. [Make] makes CA and leaf, ECDSA on P-256, as PEM: the [Set].
//  3. [Set.Write] puts them into a directory as ca.pem, cert.pem and key.pem, and
//     never over something else.
//
// The other way round [ReadValidity] reads certificates, whoever made them, and
// [Validity.Concern] says which of them will soon be refused.
//
// # Reading order
//
// request.go, make.go, write.go; validity.go by itself.
package certs
