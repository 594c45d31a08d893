package quicnet

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/qlog"
	"github.com/quic-go/quic-go/qlogwriter"
)

// Events counts what only the events of quic-go tell. To be told them costs CPU
// time: an event is made for every packet and every timer.
type Events struct {
	Probes  atomic.Uint64 // probe timeouts (RFC 9002 section 6.2)
	Retries atomic.Uint64 // connections whose server asked for a second Initial (RFC 9000 section 8.1.2)
}

// Tracer is what a quic.Config wants. Open, which may be nil, gives a file for the
// qlog of a connection; its name is the destination connection ID that the client
// chose. What Open cannot give is not written.
func (e *Events) Tracer(open func(connection string) (io.WriteCloser, error)) func(context.Context, bool, quic.ConnectionID) qlogwriter.Trace {
	return func(_ context.Context, isClient bool, id quic.ConnectionID) qlogwriter.Trace {
		t := &trace{events: e}
		if open != nil {
			if file, err := open(id.String()); err == nil {
				t.file = qlogwriter.NewConnectionFileSeq(file, isClient, id)
				go t.file.Run() // until all who record have closed
			}
		}
		return t
	}
}

// trace is that of one connection.
type trace struct {
	events *Events
	file   *qlogwriter.FileSeq // nil: only counted
}

// AddProducer implements qlogwriter.Trace.
func (t *trace) AddProducer() qlogwriter.Recorder {
	r := &recorder{events: t.events}
	if t.file != nil {
		r.file = t.file.AddProducer()
	}
	return r
}

// SupportsSchemas implements qlogwriter.Trace.
func (t *trace) SupportsSchemas(schema string) bool { return schema == qlog.EventSchema }

// recorder counts events, and passes them on.
type recorder struct {
	events *Events
	file   qlogwriter.Recorder // nil: only counted
}

// RecordEvent implements qlogwriter.Recorder.
func (r *recorder) RecordEvent(event qlogwriter.Event) {
	switch e := event.(type) {
	case qlog.PTOCountUpdated:
		if e.PTOCount > 0 { // 0: it begins to count anew
			r.events.Probes.Add(1)
		}
	case qlog.PacketReceived:
		if e.Header.PacketType == qlog.PacketTypeRetry {
			r.events.Retries.Add(1)
		}
	}
	if r.file != nil {
		r.file.RecordEvent(event)
	}
}

// Close implements io.Closer.
func (r *recorder) Close() error {
	var errs []error
	if r.file != nil {
		errs = append(errs, r.file.Close())
	}
	return errors.Join(errs...)
}
