package servers

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"
)

// Oracle is [Oracle] with the site's CA.
func (s *Site) Oracle(t testing.TB, p Protocol) *http.Client {
	t.Helper()
	return Oracle(t, p, s.Certificates.CA)
}

// Oracle is Go's own client for one protocol and nothing else. ca is the file of
// the CA that it trusts, "" those of the system.
func Oracle(t testing.TB, p Protocol, ca string) *http.Client {
	t.Helper()
	var roots *x509.CertPool // nil: the system's
	if ca != "" {
		text, err := os.ReadFile(ca)
		if err != nil {
			t.Fatal(err)
		}
		roots = x509.NewCertPool()
		if !roots.AppendCertsFromPEM(text) {
			t.Fatalf("%s holds no certificate", ca)
		}
	}
	transport := &http.Transport{
		TLSClientConfig:    &tls.Config{RootCAs: roots},
		DisableCompression: true,
		Protocols:          new(http.Protocols),
	}
	transport.Protocols.SetHTTP1(p.Major() == 1)
	transport.Protocols.SetHTTP2(p == H2)
	transport.Protocols.SetUnencryptedHTTP2(p == H2C)
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: patience}
}

// Answer is what the oracle got.
type Answer struct {
	Status int
	Major  int   // version of HTTP
	Length int64 // Content-Length; -1: none
	Body   []byte
}

// Ask sends one request and reads its response.
func Ask(client *http.Client, method, url string, body []byte) (a Answer, err error) {
	request, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	response, err := client.Do(request)
	if err != nil {
		return Answer{}, err
	}
	defer response.Body.Close()
	a = Answer{Status: response.StatusCode, Major: response.ProtoMajor, Length: response.ContentLength}
	if a.Body, err = io.ReadAll(response.Body); err != nil {
		return Answer{}, fmt.Errorf("%s %s: %w", method, url, err)
	}
	return a, nil
}
