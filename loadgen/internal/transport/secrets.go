package transport

import (
	"bytes"
	"encoding/hex"
)

// keyLog takes the secrets that crypto/tls hands out for tools that look into
// connections (tls.Config.KeyLogWriter), to build the record layer on them. The
// format is that of NSS: label, client random, secret, in hexadecimal.
type keyLog struct {
	ours, theirs []byte // application traffic secrets of TLS 1.3; nil: another version
}

// Write takes one line.
func (k *keyLog) Write(line []byte) (int, error) {
	fields := bytes.Fields(line)
	if len(fields) != 3 {
		return len(line), nil
	}
	secret, err := hex.DecodeString(string(fields[2]))
	if err != nil {
		return len(line), nil // then there is none, and crypto/tls goes on alone
	}
	switch string(fields[0]) {
	case "CLIENT_TRAFFIC_SECRET_0":
		k.ours = secret
	case "SERVER_TRAFFIC_SECRET_0":
		k.theirs = secret
	}
	return len(line), nil
}
