package main

// transport is what carries HTTP. A server has a start of its own for each: one
// that also had HTTP/3 would say so in every answer over TLS (Alt-Svc, RFC 7838),
// which would not be the answer that is measured without it.
type transport uint8

const (
	clearTCP transport = iota
	tlsTCP
	quicUDP // with TLS 1.3 inside (RFC 9001)
)

// transports are all of them, in the order in which they are measured.
func transports() []transport { return []transport{clearTCP, tlsTCP, quicUDP} }

func (t transport) String() string {
	switch t {
	case tlsTCP:
		return "TLS"
	case quicUDP:
		return "QUIC"
	}
	return "clear text"
}
