package h3

// Settings, RFC 9114 section 7.2.4.1 and RFC 9204 section 5.
const (
	settingMaxTableCapacity    = 0x01
	settingMaxFieldSectionSize = 0x06
	settingBlockedStreams      = 0x07
)

// Opening returns what we send on our control stream, and all of it: the
// stream's type and our SETTINGS. The stream has to stay open. Encoder and
// decoder streams of our own we do without (RFC 9204 section 4.2).
func Opening() []byte {
	var settings []byte
	for _, s := range [...]struct{ id, value uint64 }{
		{settingMaxTableCapacity, 0},
		{settingBlockedStreams, 0},
		{settingMaxFieldSectionSize, maxSectionBytes},
	} {
		settings = appendVarint(appendVarint(settings, s.id), s.value)
	}
	b := appendVarint(nil, streamControl)
	return append(appendFrameHeader(b, frameSettings, len(settings)), settings...)
}

// Control is what a connection's server has said on its unidirectional streams.
// The zero value is that of a fresh connection.
type Control struct {
	control, encoder, decoder bool // such a stream has been opened
	settings                  bool // SETTINGS has come
	goAway                    bool // GOAWAY has come
	goAwayID                  uint64
}

// GoAway returns the smallest ID of a request stream that the server will not
// answer any more, and whether it has said so. Requests on it and those above
// have not been processed and may be sent again on another connection.
func (c *Control) GoAway() (id uint64, said bool) { return c.goAwayID, c.goAway }

// checkFrame looks whether a frame may come on the control stream, by its header
// alone (RFC 9114 sections 6.2.1 and 7.2).
func (c *Control) checkFrame(typ, payloadBytes uint64) Fault {
	switch {
	case !c.settings && typ != frameSettings:
		return connectionFault(MissingSettings, faultNoSettings)
	case typ == frameSettings && c.settings:
		return connectionFault(FrameUnexpected, faultTwoSettings)
	case typ == frameSettings && payloadBytes > maxSettingsBytes:
		return connectionFault(ExcessiveLoad, faultSettingsSize)
	case typ == frameGoAway && payloadBytes > 8:
		return connectionFault(FrameError, faultGoAwaySize)
	case typ == frameData || typ == frameHeaders || typ == framePushPromise:
		return connectionFault(FrameUnexpected, faultOnControl)
	case typ == frameMaxPushID:
		return connectionFault(FrameUnexpected, faultMaxPushID)
	case typ == frameCancelPush: // no push ID is allowed
		return connectionFault(IDError, faultCancelPush)
	case reservedFrame(typ):
		return connectionFault(FrameUnexpected, faultHTTP2)
	}
	return Fault{}
}

// takeSettings takes the payload of SETTINGS. None of the settings matters to
// us: we keep no table, and our field sections are small.
func (c *Control) takeSettings(payload []byte) Fault {
	c.settings = true
	for at := 0; at < len(payload); {
		id, n := varint(payload[at:])
		_, m := varint(payload[at+n:])
		switch {
		case n == 0 || m == 0:
			return connectionFault(FrameError, faultSettingsCut)
		case reservedSetting(id):
			return connectionFault(SettingsError, faultSettingReserved)
		case hasSetting(payload[:at], id):
			return connectionFault(SettingsError, faultSettingTwice)
		}
		at += n + m
	}
	return Fault{}
}

// reservedSetting reports whether a setting is HTTP/2's alone, RFC 9114 section
// 11.2.2.
func reservedSetting(id uint64) bool { return id == 0x00 || id >= 0x02 && id <= 0x05 }

// hasSetting reports whether well-formed settings have that one. It reads them
// again and again, which the bound on SETTINGS keeps short.
func hasSetting(settings []byte, id uint64) bool {
	for len(settings) > 0 {
		have, n := varint(settings)
		_, m := varint(settings[n:])
		if have == id {
			return true
		}
		settings = settings[n+m:]
	}
	return false
}

// takeGoAway takes the payload of GOAWAY, RFC 9114 sections 5.2 and 7.2.6.
func (c *Control) takeGoAway(payload []byte) Fault {
	const typeMask = 0x3 // of a stream ID; 0: bidirectional and the client's
	id, n := varint(payload)
	switch {
	case n == 0 || n != len(payload):
		return connectionFault(FrameError, faultGoAwaySize)
	case id&typeMask != 0:
		return connectionFault(IDError, faultGoAwayID)
	case c.goAway && id > c.goAwayID:
		return connectionFault(IDError, faultGoAwayUp)
	}
	c.goAway, c.goAwayID = true, id
	return Fault{}
}
