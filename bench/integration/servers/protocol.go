package servers

// Protocol is a way to ask for a page.
type Protocol string

const (
	H1  Protocol = "h1"  // HTTP/1.1, cleartext
	H1S Protocol = "h1s" // HTTP/1.1 over TLS
	H2  Protocol = "h2"  // HTTP/2 over TLS, by ALPN
	H2C Protocol = "h2c" // HTTP/2, cleartext, with prior knowledge (RFC 9113, 3.3)
)

// Protocols are all of them.
func Protocols() []Protocol { return []Protocol{H1, H1S, H2, H2C} }

// TLS tells whether the URL begins with https.
func (p Protocol) TLS() bool { return p == H1S || p == H2 }

// Major is 1 or 2: the major version of HTTP.
func (p Protocol) Major() int {
	if p == H2 || p == H2C {
		return 2
	}
	return 1
}

// ports are those of one server on 127.0.0.1.
type ports struct {
	h1, h2c int
	tls     int // h1s and h2
}

func (p ports) of(protocol Protocol) int {
	switch protocol {
	case H1:
		return p.h1
	case H2C:
		return p.h2c
	}
	return p.tls
}
