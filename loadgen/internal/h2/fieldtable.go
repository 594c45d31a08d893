package h2

// tableField is a field of the static or the dynamic table.
type tableField struct{ name, value string }

// tableFieldBytes is what a field takes of the dynamic table beside its octets
// (RFC 7541 section 4.1).
const tableFieldBytes = 32

func (f tableField) bytes() uint32 { return uint32(len(f.name)+len(f.value)) + tableFieldBytes }

// fieldTable is the dynamic table of what we decode (RFC 7541 section 2.3.2): a
// ring in which the newest field is at newest. It grows with what a server puts
// into it; the zero value is an empty table that takes nothing.
type fieldTable struct {
	ring       []tableField // its length is 0 or a power of two
	newest     int          // index of the field that came last
	count      int
	usedBytes  uint32
	limitBytes uint32 // set by the encoder's size updates, at most ours
	// version grows whenever the table changes: what refers to it means the
	// same only while that is the same.
	version uint64
}

// open makes the table of a fresh connection; its ring is kept.
func (t *fieldTable) open(limitBytes uint32) {
	clear(t.ring)
	*t = fieldTable{ring: t.ring, limitBytes: limitBytes, version: t.version + 1}
}

// at returns a field by its index in the whole address space: the static table
// first, then the dynamic one from its newest field on (section 2.3.3).
func (t *fieldTable) at(index uint64) (f tableField, ok bool) {
	switch {
	case index == 0:
		return tableField{}, false
	case index <= uint64(len(staticFields)):
		return staticFields[index-1], true
	case index-uint64(len(staticFields)) > uint64(t.count):
		return tableField{}, false
	}
	back := int(index) - len(staticFields) - 1
	return t.ring[(t.newest-back)&(len(t.ring)-1)], true
}

// insert adds a field in front and drops what no longer fits behind (section
// 4.4). One that is larger than the table empties it.
func (t *fieldTable) insert(f tableField) {
	t.version++
	size := f.bytes()
	if size > t.limitBytes {
		t.evict(0)
		return
	}
	t.evict(t.limitBytes - size)
	if t.count == len(t.ring) {
		t.grow()
	}
	t.newest = (t.newest + 1) & (len(t.ring) - 1)
	t.ring[t.newest] = f
	t.count++
	t.usedBytes += size
}

// resize acts on a size update (section 4.3).
func (t *fieldTable) resize(limitBytes uint32) {
	t.version++
	t.limitBytes = limitBytes
	t.evict(limitBytes)
}

// evict drops the oldest fields until the table takes at most that.
func (t *fieldTable) evict(toBytes uint32) {
	for t.usedBytes > toBytes {
		oldest := (t.newest - t.count + 1) & (len(t.ring) - 1)
		t.usedBytes -= t.ring[oldest].bytes()
		t.count--
	}
}

// grow doubles the ring, which is full.
func (t *fieldTable) grow() {
	ring := make([]tableField, max(8, 2*len(t.ring)))
	for i := range t.count { // the oldest first
		ring[i] = t.ring[(t.newest-t.count+1+i)&(len(t.ring)-1)]
	}
	t.ring, t.newest = ring, t.count-1
}
