package loadgen

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/scalws/scalbench/internal/certs"
)

// TLS says how https:// is spoken. The zero value verifies the server's
// certificate for the URL's host against the system's authorities.
type TLS struct {
	Insecure bool     `json:"insecure,omitempty"` // take any certificate
	CAs      []byte   `json:"cas,omitempty"`      // PEM: authorities beside the system's
	Cert     []byte   `json:"cert,omitempty"`     // PEM: the client's certificate and its chain
	Key      []byte   `json:"key,omitempty"`      // PEM: its key
	Min      string   `json:"min,omitempty"`      // "1.2" or "1.3"; "": 1.2
	Max      string   `json:"max,omitempty"`      // likewise; "": 1.3
	ALPN     []string `json:"alpn,omitempty"`     // protocols offered; none: the one that is spoken
	SNI      string   `json:"sni,omitempty"`      // name sent, and wanted in the certificate; "": the URL's host
	Resume   bool     `json:"resume,omitempty"`   // use the sessions of earlier connections (RFC 8446 section 2.2)
	ZeroRTT  bool     `json:"zero_rtt,omitempty"` // and send requests with their handshake (RFC 9001 section 4.6); HTTP/3 only
}

// validate returns the faults of t.
func (t TLS) validate() []error {
	var faults []error
	lowest, errMin := tlsVersion(t.Min, tls.VersionTLS12)
	highest, errMax := tlsVersion(t.Max, tls.VersionTLS13)
	faults = append(faults, errMin, errMax)
	if errMin == nil && errMax == nil && lowest > highest {
		faults = append(faults, faultf("TLS versions: %s to %s, want the lower one first", t.Min, t.Max))
	}
	if len(t.CAs) > 0 && !x509.NewCertPool().AppendCertsFromPEM(t.CAs) {
		faults = append(faults, faultf("certificate authorities: no certificate in PEM"))
	}
	if len(t.Cert) > 0 || len(t.Key) > 0 {
		if _, err := tls.X509KeyPair(t.Cert, t.Key); err != nil {
			faults = append(faults, faultf("client certificate: %s", strings.TrimPrefix(err.Error(), "tls: ")))
		}
	}
	for _, p := range t.ALPN {
		if p == "" || len(p) > 255 { // RFC 7301 section 3.1
			faults = append(faults, faultf("ALPN protocol %q: want 1 to 255 bytes", p))
		}
	}
	return faults
}

// tlsVersion reads a version; "" is absent.
func tlsVersion(text string, absent uint16) (uint16, error) {
	switch text {
	case "":
		return absent, nil
	case "1.2":
		return tls.VersionTLS12, nil
	case "1.3":
		return tls.VersionTLS13, nil
	}
	return 0, faultf("TLS version %q: want 1.2 or 1.3", text)
}

// config is what crypto/tls makes of a valid t, for a host and the protocols
// that are offered when t names none.
func (t TLS) config(host string, offer ...string) (*tls.Config, error) {
	c := &tls.Config{
		ServerName: host, NextProtos: offer, InsecureSkipVerify: t.Insecure,
		// A request that is one record is one wake-up of the server.
		DynamicRecordSizingDisabled: true,
	}
	if t.SNI != "" {
		c.ServerName = t.SNI
	}
	if len(t.ALPN) > 0 {
		c.NextProtos = t.ALPN
	}
	var err error
	if c.MinVersion, err = tlsVersion(t.Min, tls.VersionTLS12); err != nil {
		return nil, err
	}
	if c.MaxVersion, err = tlsVersion(t.Max, tls.VersionTLS13); err != nil {
		return nil, err
	}
	if len(t.CAs) > 0 {
		if c.RootCAs, err = x509.SystemCertPool(); err != nil { // a host without any
			c.RootCAs = x509.NewCertPool()
		}
		c.RootCAs.AppendCertsFromPEM(t.CAs)
	}
	if len(t.Cert) > 0 {
		pair, err := tls.X509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, fmt.Errorf("client certificate: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// agreed returns an error when ALPN came to something else than p needs (RFC
// 7301). HTTP/1.1 is also what a server speaks that says nothing.
func (p Protocol) agreed(chosen string) error {
	switch {
	case p == HTTP3 && chosen == "h3", p == HTTP2 && chosen == "h2", p == HTTP1 && chosen != "h2":
		return nil
	case p == HTTP1:
		return errors.New("the server chose h2, and HTTP/1.1 was to be spoken")
	case chosen == "":
		return fmt.Errorf("the server does not offer %s: it chose no protocol at all (no ALPN)", p)
	}
	return fmt.Errorf("the server does not offer %s: it offered %s", p, chosen)
}

// alpn is the name of the protocol in ALPN.
func (p Protocol) alpn() string {
	switch p {
	case HTTP2:
		return "h2"
	case HTTP3:
		return "h3"
	}
	return "http/1.1"
}

// TLSFacts is what a handshake with the server agreed on.
type TLSFacts struct {
	Version  string    `json:"version"`   // "TLS 1.3"
	Cipher   string    `json:"cipher"`    // "TLS_AES_128_GCM_SHA256"
	Group    string    `json:"group"`     // of the key exchange: "X25519MLKEM768"; "": none
	ALPN     string    `json:"alpn"`      // "h2"; "": none
	Subject  string    `json:"subject"`   // of the server's certificate
	NotAfter time.Time `json:"not_after"` // until when it is valid

	group    tls.CurveID
	validity certs.Validity
}

// firstHandshake shakes hands with the server once, before there are workers:
// what is wrong with its certificate or its protocols is wrong for all
// connections and is told once, in full.
func firstHandshake(ctx context.Context, p Plan, host string, address netip.AddrPort) (*TLSFacts, error) {
	offer := []string{p.Protocol.alpn()}
	if p.Protocol == HTTP2 {
		offer = append(offer, "http/1.1") // so that a server without h2 can say what it has
	}
	config, err := p.TLS.config(host, offer...)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, p.ConnectTimeout)
	defer cancel()
	dialer := tls.Dialer{Config: config, NetDialer: &net.Dialer{}}
	if len(p.SourceIPs) > 0 {
		dialer.NetDialer.LocalAddr = &net.TCPAddr{IP: p.SourceIPs[0].AsSlice()}
	}
	conn, err := dialer.DialContext(ctx, "tcp", address.String())
	if err != nil {
		return nil, firstHandshakeFailed(err, p.ConnectTimeout)
	}
	defer conn.Close()
	state := conn.(*tls.Conn).ConnectionState()
	if err := p.Protocol.agreed(state.NegotiatedProtocol); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	return tlsFacts(state), nil
}

// tlsFacts says what a handshake has agreed on.
func tlsFacts(state tls.ConnectionState) *TLSFacts {
	validity := certs.ValidityOf(state.PeerCertificates[0]) // a client always has one
	return &TLSFacts{
		Version: tls.VersionName(state.Version), Cipher: tls.CipherSuiteName(state.CipherSuite), ALPN: state.NegotiatedProtocol,
		Subject: validity.Subject, NotAfter: validity.NotAfter, validity: validity,
		Group: groupName(state.CurveID), group: state.CurveID,
	}
}

// groupName is the name of a key exchange; "" when there was none.
func groupName(group tls.CurveID) string {
	if group == 0 {
		return ""
	}
	return group.String()
}

func firstHandshakeFailed(err error, timeout time.Duration) error {
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return fmt.Errorf("%w: %w", ErrUnreachable, dial.Err)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %s: no answer within %v", ErrUnreachable, handshakeText, timeout)
	}
	var untrusted *tls.CertificateVerificationError
	if errors.As(err, &untrusted) {
		return fmt.Errorf("%w: %s", ErrCertificate, certificateFault(untrusted.Err))
	}
	return fmt.Errorf("%w: %s: %s", ErrUnreachable, handshakeText, handshakeError(err))
}

// ErrCertificate is wrapped by the error of a run whose server has a certificate
// that does not hold.
var ErrCertificate = errors.New("the server's certificate is not accepted")

// certificateFault words what is wrong with a certificate.
func certificateFault(err error) string {
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &unknown):
		return "it is signed by an authority that is not trusted here"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired && invalid.Cert.NotAfter.Before(time.Now()):
		return "it expired on " + invalid.Cert.NotAfter.UTC().Format(time.DateOnly)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "it is not valid before " + invalid.Cert.NotBefore.UTC().Format(time.DateTime)
	}
	return strings.TrimPrefix(err.Error(), "x509: ")
}

// certificateWarning says of a certificate that clients refuse it, or soon will.
func (f *TLSFacts) certificateWarning(now time.Time) []Warning {
	if f == nil {
		return nil
	}
	concern := f.validity.Concern(now)
	if concern == "" {
		return nil
	}
	return []Warning{warningf(CertificateEnds, "the server's certificate %s %s", f.Subject, concern)}
}
