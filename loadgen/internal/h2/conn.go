package h2

import (
	"time"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

// Config is what all connections of a worker share. It must not change while
// one of them uses it.
type Config struct {
	Request *Request
	Expect  exchange.Expect
	Timeout time.Duration // of an exchange: from sending, and until that from Start; 0: none
	Streams int           // the most exchanges at a time on a connection, at least 1
}

// Conn is the codec of one connection. It is owned by one worker; an exchange
// is the codec's from Start until Done returns it.
//
// Init comes first, then Open for each transport connection. Before Open the
// connection is like one that has ended: it takes no exchange.
type Conn struct {
	cfg     *Config
	phase   phase
	leaving bool // no further exchange: the last one was started, the ids are used up, or the server said GOAWAY

	// What leaves.
	out        []byte                   // for the next Out
	taken      []byte                   // what the last Out returned: not ours until the next
	replyBytes int                      // of out, acknowledgements
	queued     fifo[*exchange.Exchange] // started, without a stream
	senders    fifo[uint32]             // streams with a body to send; those that have ended are dropped when they are met
	sendWindow int64                    // of the connection, RFC 9113 section 5.2
	table      table                    // the server's dynamic table
	settings   settings                 // the server's

	// What arrives.
	header      [frameHeaderBytes]byte // of a frame's header, the bytes that came before the rest
	headerBytes int
	frame       frame  // the present one
	inFrame     bool   // its header is complete, its payload is not
	toCome      int    // of a payload that is not gathered, the bytes to come
	padding     int    // of these, the padding at the end; padUnread: its length is the next byte
	payload     []byte // of a payload that is gathered, the bytes that came before the rest
	fields      fields // a block that comes in several frames
	unacked     int64  // flow-controlled bytes since the last WINDOW_UPDATE of the connection

	streams  streams
	resetMax uint32 // the last stream that we reset; 0: none
	answered bool   // a response has been complete on this connection
	goAway   string // the text of the server's GOAWAY with an error; "": none
	fault    string // why we gave the connection up; "": we did not

	fresh    bool            // no exchange was started on this transport connection
	hashNext bool            // the body of the next stream goes into digest
	hashed   uint32          // the stream of which the body does; 0: none
	digest   exchange.Digest //

	decoder decoder // of responses

	done     []*exchange.Exchange // for the next Done
	returned []*exchange.Exchange // what the last Done returned
}

// phase is what the connection is in.
type phase uint8

const (
	phaseClosed  phase = iota // not open, ended, or failed; bytes are ignored
	phasePreface              // nothing of the server's has arrived: SETTINGS comes first
	phaseOpen
)

// Init prepares a connection's codec for use with cfg.
func (c *Conn) Init(cfg *Config) {
	*c = Conn{cfg: cfg}
	c.streams.init(cfg.Streams)
}

// Open follows a fresh transport connection: everything about the last one is
// forgotten, except exchanges that Done has yet to return. Those that were out
// must have been ended before, by End or Abort.
func (c *Conn) Open() {
	c.phase, c.leaving, c.answered = phasePreface, false, false
	c.goAway, c.fault = "", ""
	c.fresh, c.hashNext, c.hashed = true, false, 0

	c.out = appendOpening(c.out[:0])
	c.replyBytes = 0
	c.senders.clear()
	c.sendWindow = defaultWindow
	c.table = table{limitBytes: defaultTableBytes}
	c.settings = defaultSettings

	c.headerBytes, c.inFrame = 0, false
	c.payload = c.payload[:0]
	c.fields.end()
	c.unacked = 0

	c.streams.restart()
	c.resetMax = 0
	c.decoder.open()
}

// Free returns how many exchanges Start would take now. Until the server's
// settings are known it is careful and assumes the least that RFC 9113 section
// 6.5.2 recommends: 100 streams.
func (c *Conn) Free() int {
	if c.phase == phaseClosed || c.leaving {
		return 0
	}
	n := min(int64(c.cfg.Streams), c.settings.maxStreams) - int64(c.streams.open)
	return int(max(0, min(n, c.streams.idsLeft())-int64(c.queued.size())))
}

// Start takes an exchange and queues its request. last says that the connection
// carries no further one: it ends with those that are out. It sets x.Deadline,
// clears what sending and a response fill in, and leaves Intended, Ready, Conn
// and Slot alone. It is false, with nothing done, where Free is 0.
func (c *Conn) Start(x *exchange.Exchange, now mono.Time, last bool) bool {
	if c.Free() == 0 {
		return false
	}
	x.Sent, x.FirstByte, x.Done, x.Deadline = 0, 0, 0, 0
	x.BodyBytes, x.Status = 0, 0
	x.Outcome, x.Reason = exchange.Pending, exchange.Reason{}
	if c.cfg.Timeout > 0 {
		x.Deadline = now.Add(c.cfg.Timeout)
	}
	if c.fresh {
		c.fresh, c.hashNext = false, c.digest.Begin(&c.cfg.Expect, now)
	}
	c.queued.push(x)
	c.leaving = last
	return true
}

// StreamsMax is how many exchanges the connection carries at a time as far as is
// known: Streams, or fewer when the server has said so.
func (c *Conn) StreamsMax() int {
	if !c.settings.known {
		return c.cfg.Streams
	}
	return int(min(int64(c.cfg.Streams), c.settings.maxStreams))
}

// PeerCloses is false: a client that has its last response has nobody to wait
// for, and servers that have said GOAWAY may wait for the client.
func (c *Conn) PeerCloses() bool { return false }

// Done returns the exchanges that have ended since the last call; nil: none.
// Those with the outcome exchange.Pending are handed back: their requests were
// never processed. Sent then tells whether one had left. The slice is valid
// until the next call.
func (c *Conn) Done() []*exchange.Exchange {
	if len(c.done) == 0 {
		return nil
	}
	c.done, c.returned = c.returned[:0], c.done
	return c.returned
}

// Reusable reports whether there is a reason to keep the transport connection:
// exchanges that are out, or another one that it may carry, be it later.
func (c *Conn) Reusable() bool {
	if c.phase == phaseClosed {
		return false
	}
	return c.streams.open > 0 || c.queued.size() > 0 || !c.leaving && c.streams.idsLeft() > 0
}

// Fault returns what the server did to make the codec give the connection up;
// "": nothing. It is for the caller that had no exchange out to tell it.
func (c *Conn) Fault() string { return c.fault }

// Deadline returns when Expire has to be called; 0: never. Exchanges leave in
// the order in which they were started and have the same timeout, so that the
// oldest is the first to be over it.
func (c *Conn) Deadline() (at mono.Time) {
	if s := c.streams.oldest; s != nil {
		at = s.x.Deadline
	}
	if c.queued.size() > 0 {
		if d := c.queued.front().Deadline; at == 0 || d < at {
			at = d
		}
	}
	return at
}
