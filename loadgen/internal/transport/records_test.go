package transport

import (
	"bytes"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"io"
	"testing"
)

// pair is the record layers of both ends of a connection.
func pair(t testing.TB, id uint16) (client, server *records) {
	t.Helper()
	s, err := suiteOf(id)
	if err != nil {
		t.Fatal(err)
	}
	theirs, ours := bytes.Repeat([]byte{1}, s.hash().Size()), bytes.Repeat([]byte{2}, s.hash().Size())
	if client, err = newRecords(id, theirs, ours); err != nil {
		t.Fatal(err)
	}
	if server, err = newRecords(id, ours, theirs); err != nil {
		t.Fatal(err)
	}
	return client, server
}

func suites() []uint16 {
	return []uint16{tls.TLS_AES_128_GCM_SHA256, tls.TLS_AES_256_GCM_SHA384, tls.TLS_CHACHA20_POLY1305_SHA256}
}

// readAll opens everything in b and returns the plain bytes and why it ended.
func readAll(r *records, b []byte, out *[]byte) (plain []byte, err error) {
	b = bytes.Clone(b) // it is decrypted in place
	for {
		var p []byte
		if p, b, err = r.open(b, out); err != nil {
			return plain, err
		}
		plain = append(plain, p...)
	}
}

// The keys of RFC 8448, section 3 ("Simple 1-RTT Handshake"): the client's
// application traffic secret, and the record that carries its 50 bytes.
func TestRecordsOfRFC8448(t *testing.T) {
	secret := unhex(t, "9e40646ce79a7f9dc05af8889bce6552875afa0b06df0087f792ebb7c17504a5")
	client, err := newRecords(tls.TLS_AES_128_GCM_SHA256, secret, secret)
	if err != nil {
		t.Fatal(err)
	}
	if iv := hex.EncodeToString(client.send.iv[:]); iv != "5b78923dee08579033e523d9" {
		t.Errorf("iv %s", iv)
	}
	payload := make([]byte, 50)
	for i := range payload {
		payload[i] = byte(i)
	}
	want := unhex(t, "1703030043a23f7054b62c94d0affafe8228ba55cbefacea42f914aa66bcab3f2b9819a8a5b46b395bd54a9a20441e2b62974e1f5a6292a2977014bd1e3deae63aeebb21694915e4")
	if got := client.send.seal(nil, recordApplication, payload); !bytes.Equal(got, want) {
		t.Errorf("got\n%x, want\n%x", got, want)
	}
	if plain, err := readAll(client, want, nil); err != ErrAgain || !bytes.Equal(plain, payload) {
		t.Errorf("read %x, %v", plain, err)
	}
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What one end seals the other opens, in every suite, over several records and
// in every split.
func TestRecordsRoundTrip(t *testing.T) {
	message := bytes.Repeat([]byte("0123456789abcdef"), 2500) // 40 000 bytes: 16 384 + 16 384 + 7 232
	for _, id := range suites() {
		for _, piece := range []int{1, 4, 5, 6, 7, 1000, 16383, 65536} {
			client, server := pair(t, id)
			var sealed, plain []byte
			for range 2 {
				sealed = client.send.seal(sealed[:0], recordApplication, message)
				// 3 x (5 header + 1 type + 16 tag) = 66 bytes on top
				if len(sealed) != len(message)+66 {
					t.Fatalf("%s: %d bytes sealed, want 40 066", tls.CipherSuiteName(id), len(sealed))
				}
				plain = plain[:0]
				for b := sealed; len(b) > 0; {
					n := min(piece, len(b))
					p, err := readAll(server, b[:n], nil)
					if err != ErrAgain {
						t.Fatal(err)
					}
					plain, b = append(plain, p...), b[n:]
				}
				if !bytes.Equal(plain, message) {
					t.Fatalf("%s in pieces of %d: %d bytes came back as %d others", tls.CipherSuiteName(id), piece, len(message), len(plain))
				}
			}
		}
	}
}

// A server may change its key at any time, and ask for a change of ours.
func TestKeyUpdate(t *testing.T) {
	for _, id := range suites() {
		client, server := pair(t, id)
		var wire, answer []byte
		wire = server.send.seal(wire, recordApplication, []byte("old "))
		wire = server.send.seal(wire, recordHandshake, []byte{messageUpdate, 0, 0, 1, 1})
		if err := server.send.update(); err != nil {
			t.Fatal(err)
		}
		wire = server.send.seal(wire, recordApplication, []byte("new"))
		plain, err := readAll(client, wire, &answer)
		if string(plain) != "old new" || err != ErrAgain {
			t.Fatalf("read %q, %v", plain, err)
		}
		answer = client.send.seal(answer, recordApplication, []byte("from the client"))
		if plain, err = readAll(server, answer, nil); string(plain) != "from the client" || err != ErrAgain {
			t.Fatalf("the server reads %q, %v", plain, err)
		}
	}
}

func TestTicketsAreSkipped(t *testing.T) {
	client, server := pair(t, tls.TLS_AES_128_GCM_SHA256)
	ticket := append([]byte{messageTicket, 0, 1, 0}, make([]byte, 256)...)
	var wire []byte
	wire = server.send.seal(wire, recordHandshake, append(bytes.Clone(ticket), ticket[:100]...)) // one and a part
	wire = server.send.seal(wire, recordHandshake, ticket[100:])
	wire = server.send.seal(wire, recordApplication, []byte("x"))
	if plain, err := readAll(client, wire, nil); string(plain) != "x" || err != ErrAgain {
		t.Errorf("read %q, %v", plain, err)
	}
	if len(client.post) != 0 {
		t.Errorf("%d bytes are kept", len(client.post))
	}
}

// What breaks a connection, and how it is told.
func TestBadRecords(t *testing.T) {
	app := func(r *records, b ...byte) []byte { return r.send.seal(nil, recordApplication, b) }
	for _, tt := range []struct {
		name string
		wire func(server *records) []byte
		want error
	}{
		{"cleartext HTTP", func(*records) []byte { return []byte("HTTP/1.1 400 Bad Request\r\n\r\n" + string(make([]byte, 20000))) }, errNoRecord},
		{"cleartext alert", func(*records) []byte { return []byte{recordAlert, 3, 3, 0, 2, 2, 40} }, errRecordType},
		{"flipped bit", func(s *records) []byte { b := app(s, 1, 2, 3); b[7] ^= 1; return b }, errRecordMAC},
		{"lost record", func(s *records) []byte { app(s, 1); return app(s, 2) }, errRecordMAC},
		{"too long", func(*records) []byte {
			return append([]byte{recordApplication, 3, 3, 0x41, 1}, make([]byte, 0x4101)...)
		}, errRecordSize},
		{"empty", func(s *records) []byte { return s.send.sealOne(nil, 0, nil) }, errRecordEmpty},
		{"strange type", func(s *records) []byte { return s.send.seal(nil, 99, []byte{1}) }, errRecordType},
		{"close_notify", func(s *records) []byte { return s.send.seal(nil, recordAlert, []byte{1, 0}) }, io.EOF},
		{"user_canceled", func(s *records) []byte { return s.send.seal(nil, recordAlert, []byte{1, 90}) }, ErrAgain},
		{"alert", func(s *records) []byte { return s.send.seal(nil, recordAlert, []byte{2, 80}) }, ErrAlert},
		{"half an alert", func(s *records) []byte { return s.send.seal(nil, recordAlert, []byte{2}) }, errRecordType},
		{"certificate request", func(s *records) []byte { return s.send.seal(nil, recordHandshake, []byte{13, 0, 0, 1, 0}) }, errPost},
		{"huge ticket", func(s *records) []byte { return s.send.seal(nil, recordHandshake, []byte{messageTicket, 1, 0, 0}) }, errPost},
		{"update inside a record", func(s *records) []byte {
			return s.send.seal(nil, recordHandshake, []byte{messageUpdate, 0, 0, 1, 0, 4})
		}, errPost},
	} {
		client, server := pair(t, tls.TLS_AES_128_GCM_SHA256)
		if _, err := readAll(client, tt.wire(server), nil); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

// Padding of any length belongs to no content (RFC 8446 section 5.4).
func TestPadding(t *testing.T) {
	client, server := pair(t, tls.TLS_AES_128_GCM_SHA256)
	// A record of type 0 whose content ends in the type 23 is one of type 23
	// with a byte of padding.
	wire := server.send.sealOne(nil, 0, []byte{'x', recordApplication})
	if plain, err := readAll(client, wire, nil); string(plain) != "x" || err != ErrAgain {
		t.Errorf("read %q, %v", plain, err)
	}
}

// Whatever arrives, nothing panics and little is kept.
func FuzzRecords(f *testing.F) {
	_, server := pair(f, tls.TLS_AES_128_GCM_SHA256)
	good := server.send.seal(nil, recordApplication, []byte("hello"))
	f.Add(good, 3)
	f.Add(append(good, server.send.seal(nil, recordHandshake, []byte{messageUpdate, 0, 0, 1, 1})...), 100)
	f.Add([]byte("HTTP/1.1 200 OK\r\n\r\n"), 1)
	f.Add([]byte{23, 3, 3, 255, 255, 1, 2}, 1)
	f.Fuzz(func(t *testing.T, data []byte, piece int) {
		client, _ := pair(t, tls.TLS_AES_128_GCM_SHA256)
		var out []byte
		for data = bytes.Clone(data); len(data) > 0; {
			n := min(max(piece, 1), len(data))
			in := data[:n:n]
			var err error
			for err == nil {
				_, in, err = client.open(in, &out)
			}
			if err != ErrAgain {
				return
			}
			data = data[n:]
		}
		if len(client.partial) > headerBytes+ciphertextMax+1 || len(client.post) > postMax {
			t.Fatalf("%d and %d bytes are kept", len(client.partial), len(client.post))
		}
	})
}
