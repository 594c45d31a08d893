package main

// protocol is what peer and server speak in a course.
type protocol uint8

const (
	h1Clear protocol = iota // HTTP/1.1 in clear text
	h1TLS                   // HTTP/1.1 over TLS
	h2TLS                   // HTTP/2 over TLS, chosen by ALPN
	h3QUIC                  // HTTP/3, which is over QUIC alone
)

func (p protocol) String() string {
	if t := p.transport(); t != clearTCP {
		return p.version() + " over " + t.String()
	}
	return p.version()
}

// version is the short name of the version of HTTP.
func (p protocol) version() string {
	switch p {
	case h2TLS:
		return "h2"
	case h3QUIC:
		return "h3"
	}
	return "h1"
}

// http is the version as a response has it.
func (p protocol) http() string {
	switch p {
	case h2TLS:
		return "HTTP/2.0"
	case h3QUIC:
		return "HTTP/3.0"
	}
	return "HTTP/1.1"
}

// transport carries it.
func (p protocol) transport() transport {
	switch p {
	case h1Clear:
		return clearTCP
	case h3QUIC:
		return quicUDP
	}
	return tlsTCP
}

// secure tells whether the peer sees a certificate.
func (p protocol) secure() bool { return p.transport() != clearTCP }

// streamed tells whether a connection carries several requests at a time.
func (p protocol) streamed() bool { return p == h2TLS || p == h3QUIC }
