package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// The certificate of the servers and its key, PEM files of the scratch
// directory.
const (
	certificateFile = "certificate.pem"
	keyFile         = "key.pem"
)

// The certificate is valid for so long that nobody warns of its end, which
// scalbench target does from 30 days before on, and from before now: a clock
// that is set back a little must not make it invalid.
const (
	certificateLife   = 90 * 24 * time.Hour
	certificateBefore = time.Hour
)

// writeCertificate makes a key and a certificate of this run, signed with
// itself. The key is of ECDSA on P-256, the cheapest that every TLS library
// has, for a handshake is not what is measured. Only the user who made the key
// may read it, which the master of nginx is.
func writeCertificate(dir string, now time.Time) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("make a key: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "peers"},
		NotBefore:             now.Add(-certificateBefore),
		NotAfter:              now.Add(certificateLife),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true, // it is its own issuer
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return fmt.Errorf("make a certificate: %w", err)
	}
	encodedKey, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return fmt.Errorf("encode the key: %w", err)
	}
	return errors.Join(
		writePEM(filepath.Join(dir, certificateFile), "CERTIFICATE", certificate, 0o644),
		writePEM(filepath.Join(dir, keyFile), "PRIVATE KEY", encodedKey, 0o600),
	)
}

func writePEM(path, kind string, der []byte, mode os.FileMode) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), mode)
}

// readRoots returns a pool with the certificate of a PEM file alone.
func readRoots(path string) (*x509.CertPool, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(data) {
		return nil, fmt.Errorf("no certificate in %s", path)
	}
	return roots, nil
}
