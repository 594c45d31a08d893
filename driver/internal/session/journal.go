package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/record"
)

// Now reads both clocks that events are stamped with.
type Now func() (utc time.Time, at mono.Time)

// ClockNow reads them from a clock.
func ClockNow(clock mono.Clock) Now {
	return func() (time.Time, mono.Time) {
		at := clock.Now()
		return clock.Wall(at).UTC(), at
	}
}

// journal is the open journal of a session, and the state that it leads to. It is
// owned by one goroutine.
type journal struct {
	file  *os.File
	now   Now
	state State
}

// openJournal opens a journal for appending, and makes it when it is new.
func openJournal(path string, now Now, state State) (*journal, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	return &journal{file: f, now: now, state: state}, nil
}

// write stamps events with the session and the time, and returns when they are on the
// disk. Events that cannot follow the state are an error and none is written; after
// an error of the disk neither state nor file have changed.
func (j *journal) write(events ...record.Event) error {
	after := j.state.clone()
	var lines bytes.Buffer
	utc, at := j.now()
	for _, e := range events {
		e.UTC, e.MonoNS = utc, int64(at)
		if e.Session == "" {
			e.Session = after.Session
		}
		if err := after.Apply(e); err != nil {
			return fmt.Errorf("write journal: %w", err)
		}
		if err := record.AppendEvent(&lines, e); err != nil {
			return err
		}
	}
	if err := appendLines(j.file, lines.Bytes()); err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	j.state = after
	return nil
}

// close leaves the journal; nothing is pending.
func (j *journal) close() error { return j.file.Close() }

// appendLines writes whole lines at the end of a journal and syncs it. A line that
// a killed writer left without an end is cut off first. The file is locked meanwhile,
// since a person may add a note while the session runs.
func appendLines(f *os.File, lines []byte) (err error) {
	if err := lockJournal(f); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unix.Flock(int(f.Fd()), unix.LOCK_UN)) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	end, err := lastLineEnd(f, info.Size())
	if err != nil {
		return err
	}
	if end < info.Size() {
		if err := f.Truncate(end); err != nil {
			return err
		}
	}
	_, err = f.Write(lines)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(err, f.Truncate(end)) // the disk may be full in the middle of a line
	}
	return nil
}

// lockJournal waits for the lock; its holders write a few lines and go.
func lockJournal(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// lastLineEnd returns the offset after the last line feed; 0 when there is none.
func lastLineEnd(f io.ReaderAt, size int64) (int64, error) {
	var block [4096]byte
	for end := size; end > 0; {
		start := max(0, end-int64(len(block)))
		n, err := f.ReadAt(block[:end-start], start)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if i := bytes.LastIndexByte(block[:n], '\n'); i >= 0 {
			return start + int64(i) + 1, nil
		}
		end = start
	}
	return 0, nil
}
