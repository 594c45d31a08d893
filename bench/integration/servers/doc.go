// Package servers starts real web servers that serve one site over HTTP/1.1 and
// HTTP/2, in cleartext and over TLS, so that what a load generator says can be
// compared with what they say. It serves tests alone.
//
// # Terms
//
//   - site: what every server serves: files of given lengths (GET and HEAD of
//     /static/N, N bytes), a digest of what is posted to /digest, and one
//     certificate.
//   - protocol: h1, h1s (HTTP/1.1 over TLS), h2 (over TLS) and h2c (cleartext,
//     with prior knowledge). Each server has an URL for each.
//   - backend: the Go server of the site. What others cannot do themselves, which
//     is to say what was posted, they pass on to it.
//   - kind: a program that can serve the site: how it is started, told to finish,
//     and where its log is. Its configuration is bench/configs/KIND/protocols.conf
//     with placeholders in braces.
//   - line: what a server logged of one request: status, protocol, URI.
//   - oracle: net/http's client, which is held to be right.
//
// # Flow
//
//  1. [NewSite] writes the files, makes the certificate and starts the backend.
//  2. [Site.Start] starts a server of a kind on free ports of 127.0.0.1: in the
//     foreground, in a temporary folder, with its configuration filled in. It
//     returns when all ports accept, and skips the test where the program is not
//     installed.
//  3. A test asks [Server.URL], with scalbench and with [Site.Oracle].
//  4. [Server.Finish] lets the server end what it has begun, and returns its log;
//     [Site.Digests] says what bodies have arrived.
//
// # Reading order
//
// protocol.go, site.go, certificates.go, kinds.go, start.go, placeholders.go,
// process.go, goserver.go, server.go, log.go, oracle.go.
package servers
