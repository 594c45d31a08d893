package certs

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"strings"
	"time"
)

// soon is how long before its end a certificate is told: a renewal is planned
// in weeks, and those that renew by themselves do so about then.
const soon = 30 * 24 * time.Hour

// Validity is how long one certificate may be used.
type Validity struct {
	Subject   string // as RFC 4514 writes it, such as CN=localhost; else its names
	NotBefore time.Time
	NotAfter  time.Time
}

// ReadValidity returns the validity of each certificate in a PEM file, in its
// order; at least one. Blocks of other types, such as a key, are passed over.
func ReadValidity(file string) ([]Validity, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err // it names the file
	}
	var all []Validity
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			break
		}
		if block.Type != certificateBlock {
			continue
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("certificate %d of %s: %w", len(all)+1, file, err)
		}
		all = append(all, ValidityOf(cert))
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no certificate in PEM", file)
	}
	return all, nil
}

// ValidityOf is that of a certificate.
func ValidityOf(cert *x509.Certificate) Validity {
	return Validity{Subject: subject(cert), NotBefore: cert.NotBefore, NotAfter: cert.NotAfter}
}

// subject names a certificate. Today's CAs leave the subject of a leaf empty.
func subject(cert *x509.Certificate) string {
	if text := cert.Subject.String(); text != "" {
		return text
	}
	return strings.Join(append(cert.DNSNames, texts(cert.IPAddresses)...), " ")
}

func texts(addresses []net.IP) []string {
	all := make([]string, len(addresses))
	for i, address := range addresses {
		all[i] = address.String()
	}
	return all
}

// Concern says why clients refuse the certificate at now, or will within 30
// days; "" when they do not. Both ends of the validity belong to it (RFC 5280,
// 4.1.2.5).
func (v Validity) Concern(now time.Time) string {
	left := v.NotAfter.Sub(now)
	switch {
	case now.Before(v.NotBefore):
		return "is not valid before " + date(v.NotBefore)
	case left < 0:
		return "has expired on " + date(v.NotAfter)
	case left <= soon:
		return fmt.Sprintf("expires on %s, within %d days", date(v.NotAfter), soon/(24*time.Hour))
	}
	return ""
}

func date(t time.Time) string { return t.UTC().Format(time.DateOnly) }
