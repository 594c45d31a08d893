package transport

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"

	"golang.org/x/crypto/chacha20poly1305"
)

// records is the record layer of a TLS 1.3 connection after its handshake (RFC
// 8446 section 5). crypto/tls would do it too, with three copies of every byte,
// locks, and an allocation for each record; here a record is decrypted where it
// was received and encrypted where it is sent from.
type records struct {
	receive, send half
	partial       []byte // the beginning of a record whose rest has not arrived
	post          []byte // the beginning of a handshake message likewise
}

// half is one direction.
type half struct {
	suite  suite
	secret []byte // application traffic secret, from which the next is made (section 7.2)
	aead   cipher.AEAD
	iv     [12]byte
	nonce  [12]byte
	seq    uint64
}

// suite is what a cipher suite of TLS 1.3 consists of (RFC 8446 appendix B.4).
type suite struct {
	keyBytes int
	hash     func() hash.Hash
	aead     func(key []byte) (cipher.AEAD, error)
}

func suiteOf(id uint16) (suite, error) {
	switch id {
	case tls.TLS_AES_128_GCM_SHA256:
		return suite{16, sha256.New, newGCM}, nil
	case tls.TLS_AES_256_GCM_SHA384:
		return suite{32, sha512.New384, newGCM}, nil
	case tls.TLS_CHACHA20_POLY1305_SHA256:
		return suite{chacha20poly1305.KeySize, sha256.New, chacha20poly1305.New}, nil
	}
	return suite{}, fmt.Errorf("cipher suite %s", tls.CipherSuiteName(id))
}

func newGCM(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// newRecords makes the record layer behind a handshake from what it has agreed
// on.
func newRecords(id uint16, theirs, ours []byte) (*records, error) {
	s, err := suiteOf(id)
	if err != nil {
		return nil, err
	}
	r := &records{receive: half{suite: s}, send: half{suite: s}}
	if err := errors.Join(r.receive.use(theirs), r.send.use(ours)); err != nil {
		return nil, err
	}
	return r, nil
}

// use begins to use a traffic secret (section 7.3).
func (h *half) use(secret []byte) error {
	h.secret, h.seq = secret, 0
	key, err := h.expand("key", h.suite.keyBytes)
	if err != nil {
		return err
	}
	iv, err := h.expand("iv", len(h.iv))
	if err != nil {
		return err
	}
	copy(h.iv[:], iv)
	h.aead, err = h.suite.aead(key)
	return err
}

// update goes on to the next traffic secret (section 7.2).
func (h *half) update() error {
	next, err := h.expand("traffic upd", h.suite.hash().Size())
	if err != nil {
		return err
	}
	return h.use(next)
}

// expand is HKDF-Expand-Label with an empty context (section 7.1).
func (h *half) expand(label string, n int) ([]byte, error) {
	info := binary.BigEndian.AppendUint16(nil, uint16(n))
	info = append(info, byte(len("tls13 ")+len(label)))
	info = append(info, "tls13 "+label...)
	return hkdf.Expand(h.suite.hash, h.secret, string(append(info, 0)), n)
}

// advance makes the nonce of the next record (section 5.3).
func (h *half) advance() {
	h.nonce = h.iv
	seq := binary.BigEndian.Uint64(h.nonce[4:]) ^ h.seq
	binary.BigEndian.PutUint64(h.nonce[4:], seq)
	h.seq++
}

const (
	recordAlert       = 21
	recordHandshake   = 22
	recordApplication = 23

	headerBytes    = 5
	ciphertextMax  = RecordMax + 256 // section 5.2
	postMax        = 64 << 10        // of one message after the handshake, which is a ticket or shorter
	repliesMax     = 256 << 10       // of what waits to be sent when an update is answered
	messageTicket  = 4
	messageUpdate  = 24
	alertClose     = 0
	alertCancelled = 90 // user_canceled: a close_notify follows
)

// Faults of what is received. They break the connection.
var (
	errNoRecord    = errors.New("bytes that are no TLS record")
	errRecordSize  = errors.New("TLS record above 16 KiB")
	errRecordMAC   = errors.New("TLS record whose authentication fails")
	errRecordType  = errors.New("TLS record of a type that does not belong here")
	errRecordEmpty = errors.New("TLS record without content and type")
	errPost        = errors.New("TLS message that does not belong behind the handshake")
)

// open decrypts the next record of in that carries application data, and
// returns what follows the record. ErrAgain: in is used up. io.EOF: the peer
// says that nothing more comes. The plain bytes lie in in, or in a buffer that
// the next call uses again.
func (r *records) open(in []byte, out *[]byte) (plain, rest []byte, err error) {
	for {
		var record []byte
		if record, in = r.cut(in); record == nil {
			return nil, nil, ErrAgain
		}
		kind, content, err := r.receive.open(record)
		if err != nil {
			return nil, nil, err
		}
		switch kind {
		case recordApplication:
			if len(content) > 0 {
				return content, in, nil
			}
		case recordHandshake:
			if err := r.afterHandshake(content, out); err != nil {
				return nil, nil, err
			}
		case recordAlert:
			if err := alertError(content); err != nil {
				return nil, nil, err
			}
		default:
			return nil, nil, errRecordType
		}
	}
}

// cut returns the next whole record, header included; nil: its rest has yet to
// arrive, and what there is of it is kept.
func (r *records) cut(in []byte) (record, rest []byte) {
	if len(r.partial) == 0 {
		if n := recordBytes(in); n > 0 && len(in) >= n {
			return in[:n], in[n:]
		}
		r.partial = append(r.partial, in...)
		return nil, nil
	}
	if missing := headerBytes - len(r.partial); missing > 0 {
		n := min(missing, len(in))
		r.partial, in = append(r.partial, in[:n]...), in[n:]
	}
	n := recordBytes(r.partial)
	if n == 0 {
		return nil, nil
	}
	missing := min(n-len(r.partial), len(in))
	r.partial, in = append(r.partial, in[:missing]...), in[missing:]
	if len(r.partial) < n {
		return nil, nil
	}
	record, r.partial = r.partial, r.partial[:0]
	return record, in
}

// recordBytes is the length of the record that b begins with, header included; 0:
// not known yet. A record that is too long is cut short: it will not open.
func recordBytes(b []byte) int {
	if len(b) < headerBytes {
		return 0
	}
	return headerBytes + min(int(binary.BigEndian.Uint16(b[3:])), ciphertextMax+1)
}

// open decrypts a record in place.
func (h *half) open(record []byte) (kind byte, content []byte, err error) {
	header, sealed := record[:headerBytes], record[headerBytes:]
	switch {
	case header[0] < 20 || header[0] > 24 || header[1] != 3:
		return 0, nil, errNoRecord
	case header[0] != recordApplication: // section 5.1: nothing is sent in the clear any more
		return 0, nil, errRecordType
	case len(sealed) > ciphertextMax:
		return 0, nil, errRecordSize
	}
	h.advance()
	plain, err := h.aead.Open(sealed[:0], h.nonce[:], sealed, header)
	if err != nil {
		return 0, nil, errRecordMAC
	}
	n := len(plain)
	for n > 0 && plain[n-1] == 0 { // padding (section 5.4)
		n--
	}
	switch {
	case n == 0:
		return 0, nil, errRecordEmpty
	case n-1 > RecordMax:
		return 0, nil, errRecordSize
	}
	return plain[n-1], plain[:n-1], nil
}

// alertError is what an alert means: nil when it says nothing yet (section 6).
func alertError(b []byte) error {
	switch {
	case len(b) != 2:
		return errRecordType
	case b[1] == alertClose:
		return io.EOF
	case b[1] == alertCancelled:
		return nil
	}
	return fmt.Errorf("%w: %w", ErrAlert, tls.AlertError(b[1]))
}

// ErrAlert is wrapped by what Next returns when the peer has broken the
// connection by an alert.
var ErrAlert = errors.New("the server sent an alert")

// afterHandshake takes part of the messages that a server may still send:
// tickets, which nobody uses, and updates of its key (section 4.6).
func (r *records) afterHandshake(b []byte, out *[]byte) error {
	r.post = append(r.post, b...)
	for len(r.post) >= 4 {
		n := 4 + int(r.post[1])<<16 + int(r.post[2])<<8 + int(r.post[3])
		if n > postMax {
			return errPost
		}
		if len(r.post) < n {
			return nil
		}
		message := r.post[:n]
		switch message[0] {
		case messageTicket:
		case messageUpdate:
			if len(r.post) != 5 || message[4] > 1 { // it ends its record (section 5.1)
				return errPost
			}
			if err := r.updateKeys(message[4] == 1, out); err != nil {
				return err
			}
		default:
			return errPost
		}
		r.post = r.post[:copy(r.post, r.post[n:])]
	}
	return nil
}

// updateKeys follows the peer to its next key, and when it asks for it updates
// ours (section 4.6.3).
func (r *records) updateKeys(ours bool, out *[]byte) error {
	if err := r.receive.update(); err != nil || !ours {
		return err
	}
	if len(*out) > repliesMax { // the peer asks and does not read
		return errPost
	}
	*out = r.send.seal(*out, recordHandshake, []byte{messageUpdate, 0, 0, 1, 0})
	return r.send.update()
}

// seal appends b to out as records.
func (h *half) seal(out []byte, kind byte, b []byte) []byte {
	for len(b) > 0 {
		n := min(len(b), RecordMax)
		out = h.sealOne(out, kind, b[:n])
		b = b[n:]
	}
	return out
}

func (h *half) sealOne(out []byte, kind byte, b []byte) []byte {
	h.advance()
	sealed := len(b) + 1 + h.aead.Overhead()
	out = slices.Grow(out, headerBytes+sealed)
	header := len(out)
	out = append(out, recordApplication, 3, 3, byte(sealed>>8), byte(sealed))
	body := len(out)
	out = append(out, b...)
	out = append(out, kind)
	h.aead.Seal(out[body:body], h.nonce[:], out[body:], out[header:body])
	return out[:body+sealed]
}
