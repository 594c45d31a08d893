package h2

import (
	"encoding/binary"
	"math"

	"golang.org/x/net/http2"

	"github.com/scalws/scalbench/internal/mono"
)

// settings are those of the server that matter to a client, RFC 9113 section
// 6.5.2.
type settings struct {
	maxStreams    int64
	initialWindow int64
	maxFrameBytes int
	known         bool // SETTINGS arrived
}

// defaultSettings hold until the server's arrive. Only the first is ours: in
// truth there is no limit, but none below 100 is recommended and hardly one
// above is common, and what is refused has to be sent twice.
var defaultSettings = settings{maxStreams: 100, initialWindow: defaultWindow, maxFrameBytes: maxFrameBytes}

// takeSettings takes the server's settings, in the order in which they stand,
// and acknowledges them.
func (c *Conn) takeSettings(now mono.Time, payload []byte) {
	if c.frame.flags.Has(flagAck) {
		return
	}
	if !c.settings.known {
		c.settings.known = true
		c.settings.maxStreams = math.MaxUint32
	}
	before := c.settings.initialWindow
	for ; len(payload) > 0; payload = payload[settingBytes:] {
		id := http2.SettingID(binary.BigEndian.Uint16(payload))
		if fault, code := c.set(id, binary.BigEndian.Uint32(payload[2:])); fault != "" {
			c.failConnection(now, code, fault)
			return
		}
	}
	if fault := c.moveWindows(c.settings.initialWindow - before); fault != "" {
		c.failConnection(now, http2.ErrCodeFlowControl, fault)
		return
	}
	if int64(c.streams.open) > c.settings.maxStreams {
		for s := c.streams.oldest; s != nil; s = s.newer {
			s.surplus = true
		}
	}
	c.reply(now, appendFrame(c.out, 0, http2.FrameSettings, flagAck, 0))
}

// set takes one setting. Unknown ones are ignored, and so is
// SETTINGS_MAX_HEADER_LIST_SIZE, which is advice: a server that finds the request
// too large says so with a status.
func (c *Conn) set(id http2.SettingID, value uint32) (fault string, code http2.ErrCode) {
	switch id {
	case http2.SettingHeaderTableSize:
		c.table.limit(value)
	case http2.SettingEnablePush:
		if value != 0 {
			return faultEnablePush, http2.ErrCodeProtocol
		}
	case http2.SettingMaxConcurrentStreams:
		c.settings.maxStreams = int64(value)
	case http2.SettingInitialWindowSize:
		if value > maxWindow {
			return faultInitialWindow, http2.ErrCodeFlowControl
		}
		c.settings.initialWindow = int64(value)
	case http2.SettingMaxFrameSize:
		if value < maxFrameBytes || value > maxFrameLimit {
			return faultMaxFrameSize, http2.ErrCodeProtocol
		}
		c.settings.maxFrameBytes = int(value)
	}
	return "", 0
}

// moveWindows changes the windows of all streams by the difference of two
// initial ones, whereby they may become negative (RFC 9113 section 6.9.2). It is
// done once for a frame, which may name thousands.
func (c *Conn) moveWindows(difference int64) (fault string) {
	if difference == 0 {
		return ""
	}
	for s := c.streams.oldest; s != nil; s = s.newer {
		s.sendWindow += difference
		if s.sendWindow > maxWindow {
			return faultWindow
		}
		c.addSender(s)
	}
	return ""
}

// takePing answers a PING with its own payload, RFC 9113 section 6.7.
func (c *Conn) takePing(now mono.Time, payload []byte) {
	if c.frame.flags.Has(flagAck) {
		return
	}
	c.reply(now, append(appendFrame(c.out, pingBytes, http2.FramePing, flagAck, 0), payload...))
}

// reply makes out, longer by an acknowledgement, what leaves next. A server that
// asks for more of them than it reads is given up.
func (c *Conn) reply(now mono.Time, out []byte) {
	c.replyBytes += len(out) - len(c.out)
	c.out = out
	if c.replyBytes > maxReplyBytes {
		c.failConnection(now, http2.ErrCodeEnhanceYourCalm, faultReplies)
	}
}
