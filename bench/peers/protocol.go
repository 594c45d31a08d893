package main

// protocol is what peer and server speak in a course.
type protocol uint8

const (
	h1Clear protocol = iota // HTTP/1.1 in clear text
	h1TLS                   // HTTP/1.1 over TLS
	h2TLS                   // HTTP/2 over TLS, chosen by ALPN
)

func (p protocol) String() string {
	if p.secure() {
		return p.version() + " over TLS"
	}
	return p.version()
}

// version is the short name of the version of HTTP.
func (p protocol) version() string {
	if p == h2TLS {
		return "h2"
	}
	return "h1"
}

// http is the version as a response has it.
func (p protocol) http() string {
	if p == h2TLS {
		return "HTTP/2.0"
	}
	return "HTTP/1.1"
}

// secure tells whether it is over TLS: such courses have a start of the server
// of their own.
func (p protocol) secure() bool { return p != h1Clear }
