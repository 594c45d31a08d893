package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"net"
	"time"
)

// earlier is how long before now a certificate becomes valid.
const earlier = time.Hour

// maxCommonNameBytes is the most that a common name may have (RFC 5280, A.1,
// ub-common-name). Clients compare the alternative names alone.
const maxCommonNameBytes = 64

// Set is a CA and the one leaf that it signed. All texts are PEM.
type Set struct {
	CA   []byte // for who connects
	Cert []byte // the leaf, for the server
	Key  []byte // the leaf's, as PKCS #8; whoever has it is the server

	Names    []string  // what the leaf is for
	NotAfter time.Time // the end of its validity, in UTC
}

// Make makes a CA and a leaf as r says, valid from an hour before now. The error
// is that of Validate, or of the system's random numbers.
func Make(r Request, now time.Time) (*Set, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	r = r.withDefaults()
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the key of a CA: %w", err)
	}
	leafKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the key of a leaf: %w", err)
	}
	ca, leaf := templates(r, now)
	caDER, err := x509.CreateCertificate(rand.Reader, ca, ca, &caKey.PublicKey, caKey)
	if err != nil {
		return nil, fmt.Errorf("make a CA: %w", err)
	}
	// Parsed again, it has the key identifier by which the leaf names it: CAs of
	// several sets have the same subject.
	if ca, err = x509.ParseCertificate(caDER); err != nil {
		return nil, fmt.Errorf("make a CA: %w", err)
	}
	leafDER, err := x509.CreateCertificate(rand.Reader, leaf, ca, &leafKey.PublicKey, caKey)
	if err != nil {
		return nil, fmt.Errorf("make a leaf: %w", err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(leafKey)
	if err != nil {
		return nil, fmt.Errorf("write the key of a leaf: %w", err)
	}
	return &Set{
		CA:       pem.EncodeToMemory(&pem.Block{Type: certificateBlock, Bytes: caDER}),
		Cert:     pem.EncodeToMemory(&pem.Block{Type: certificateBlock, Bytes: leafDER}),
		Key:      pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}),
		Names:    r.Names,
		NotAfter: leaf.NotAfter,
	}, nil
}

// certificateBlock is the type of a certificate's PEM block (RFC 7468, 5.1).
const certificateBlock = "CERTIFICATE"

// templates say what the certificates hold. Without a serial number they get a
// random one.
func templates(r Request, now time.Time) (ca, leaf *x509.Certificate) {
	notBefore := now.Add(-earlier).UTC().Truncate(time.Second) // what the encoding can hold
	notAfter := notBefore.Add(time.Duration(r.Days) * 24 * time.Hour)
	ca = &x509.Certificate{
		Subject:               pkix.Name{CommonName: "scalbench test CA"},
		NotBefore:             notBefore,
		NotAfter:              notAfter,
		KeyUsage:              x509.KeyUsageCertSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
		MaxPathLenZero:        true, // it signs leaves only
	}
	leaf = &x509.Certificate{
		Subject:     pkix.Name{Organization: []string{"scalbench test"}},
		NotBefore:   notBefore,
		NotAfter:    notAfter,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if len(r.Names[0]) <= maxCommonNameBytes {
		leaf.Subject.CommonName = r.Names[0]
	}
	for _, name := range r.Names {
		if isAddress(name) {
			leaf.IPAddresses = append(leaf.IPAddresses, net.ParseIP(name))
		} else {
			leaf.DNSNames = append(leaf.DNSNames, name)
		}
	}
	return ca, leaf
}
