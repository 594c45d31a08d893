package h2

import (
	"errors"

	"golang.org/x/net/http2/hpack"
)

// decoder reads header blocks (RFC 7541). hpack's own decoder makes strings of
// every field of every block; this one does that once for a block that repeats:
//
//   - A block that refers to nothing in the dynamic table always means the same,
//     whatever the table holds. What it inserts is remembered with it and
//     inserted again. Such are those of nginx, which inserts the same fields with
//     every response and never refers to them.
//   - Any other block means the same while the table has not changed since. Such
//     are those of Go's net/http, which refers to what it has inserted.
type decoder struct {
	table    fieldTable
	take     func(hpack.HeaderField) // gets each field of a block that is read
	head     head
	known    knownBlocks
	inserted []tableField // by the block that is being read, when it is short enough to be known
	long     bool         // it is not
	refers   bool         // it refers to the dynamic table, or changes its size
}

// Errors that lose the decoder's state: of the connection.
var (
	errBlock      = errors.New("malformed header block")
	errLateUpdate = errors.New("table size update behind a field")
	errStringSize = errors.New("header field too long")
)

// open prepares for the first block of a fresh connection.
func (d *decoder) open() {
	d.take = d.head.field
	d.table.open(defaultTableBytes)
	d.known.forget()
}

// decode reads a block. err means that the decoder's state is lost, fault that
// the block's fields are malformed.
func (d *decoder) decode(block []byte) (a answer, fault string, err error) {
	if k := d.known.find(block, d.table.version); k != nil {
		for _, f := range k.inserts {
			d.table.insert(f)
		}
		return k.answer, "", nil
	}
	d.head.begin()
	d.inserted, d.refers, d.long = d.inserted[:0], false, len(block) > knownBlockBytesMax
	version := d.table.version
	if err := d.read(block); err != nil {
		return answer{}, "", err
	}
	if d.head.fault == "" && (!d.refers || d.table.version == version) {
		d.known.remember(block, d.head.answer, d.inserted, d.refers, version)
	}
	return d.head.answer, d.head.fault, nil
}

// read takes the representations of a block one after the other (section 6).
func (d *decoder) read(block []byte) (err error) {
	for began := false; len(block) > 0; {
		switch first := block[0]; {
		case first&0x80 != 0:
			block, err = d.indexed(block)
			began = true
		case first&0xc0 == 0x40:
			block, err = d.literal(block, 6, true)
			began = true
		case first&0xe0 == 0x20 && !began: // section 4.2: at the beginning
			block, err = d.sizeUpdate(block)
		case first&0xe0 == 0x20:
			return errLateUpdate
		default: // without indexing, or never indexed
			block, err = d.literal(block, 4, false)
			began = true
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// indexed takes a field that is in a table (section 6.1).
func (d *decoder) indexed(b []byte) (rest []byte, err error) {
	index, rest, ok := cutInteger(b, 7)
	if !ok {
		return nil, errBlock
	}
	f, ok := d.at(index)
	if !ok {
		return nil, errBlock
	}
	d.take(hpack.HeaderField{Name: f.name, Value: f.value})
	return rest, nil
}

// literal takes a field whose value, and perhaps whose name, is written out
// (section 6.2).
func (d *decoder) literal(b []byte, prefixBits uint, insert bool) (rest []byte, err error) {
	index, b, ok := cutInteger(b, prefixBits)
	if !ok {
		return nil, errBlock
	}
	var f tableField
	if index == 0 {
		if f.name, b, err = d.text(b); err != nil {
			return nil, err
		}
	} else {
		named, ok := d.at(index)
		if !ok {
			return nil, errBlock
		}
		f.name = named.name
	}
	if f.value, b, err = d.text(b); err != nil {
		return nil, err
	}
	if insert {
		d.table.insert(f)
		if !d.long {
			d.inserted = append(d.inserted, f)
		}
	}
	d.take(hpack.HeaderField{Name: f.name, Value: f.value})
	return b, nil
}

// at looks a field up and notes whether that depended on the dynamic table.
func (d *decoder) at(index uint64) (f tableField, ok bool) {
	d.refers = d.refers || index > uint64(len(staticFields))
	return d.table.at(index)
}

// sizeUpdate takes a change of the table's size, which may not be above what we
// have announced (section 6.3).
func (d *decoder) sizeUpdate(b []byte) (rest []byte, err error) {
	size, rest, ok := cutInteger(b, 5)
	if !ok || size > defaultTableBytes {
		return nil, errBlock
	}
	d.refers = true
	d.table.resize(uint32(size))
	return rest, nil
}

// text takes a string (section 5.2).
func (d *decoder) text(b []byte) (s string, rest []byte, err error) {
	if len(b) == 0 {
		return "", nil, errBlock
	}
	huffman := b[0]&0x80 != 0
	size, b, ok := cutInteger(b, 7)
	switch {
	case ok && size > maxListBytes:
		return "", nil, errStringSize
	case !ok || size > uint64(len(b)):
		return "", nil, errBlock
	case !huffman:
		return string(b[:size]), b[size:], nil
	}
	if s, err = hpack.HuffmanDecodeToString(b[:size]); err != nil {
		return "", nil, errBlock
	}
	if len(s) > maxListBytes {
		return "", nil, errStringSize
	}
	return s, b[size:], nil
}
