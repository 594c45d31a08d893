package session

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/scalws/scalbench/internal/record"
)

// NewID makes a session's id: its time to the second, so that ids sort, and 32 random
// bits from random.
func NewID(now time.Time, random io.Reader) (string, error) {
	var bits [4]byte
	if _, err := io.ReadFull(random, bits[:]); err != nil {
		return "", fmt.Errorf("make a session's id: %w", err)
	}
	return now.UTC().Format("20060102-150405") + "-" + hex.EncodeToString(bits[:]), nil
}

// ErrTaken says that there are results of that name; another one is chosen with
// --name.
var ErrTaken = errors.New("results of that name are there already")

// CopyError says that an unfinished session measures the same plan: it is resumed, or
// left alone, but the plan is not measured a second time.
type CopyError struct {
	SessionDir string
	Session    string
}

// Error says what to do about it.
func (e *CopyError) Error() string {
	return fmt.Sprintf("%s (session %s) has begun to measure this plan and is not finished: resume it", e.SessionDir, e.Session)
}

// File is one that lies beside a session's plan.
type File struct {
	Name string
	Data []byte
}

// Claim begins a session: its directory with plan, host, journal and the files of the
// caller comes into being whole, or not at all. The plan gets its schema and hash, the
// host its session.
//
// It is called by the holder of the host's lock. A name that is taken is refused with
// [ErrTaken], an unfinished session of the same plan under any name with a
// [CopyError]. (Sessions that repeat another are told from it by RepeatOf.)
func Claim(l Layout, plan *record.Plan, host *record.Host, boot Boot, now Now, files ...File) (*Session, error) {
	plan.Hash = plan.ComputeHash()
	host.Session = plan.Session
	if err := makeDir(l.Results); err != nil {
		return nil, fmt.Errorf("claim results: %w", err)
	}
	if err := refuseCopy(l.Results, plan); err != nil {
		return nil, err
	}
	if err := refuseTaken(l, plan.Rounds); err != nil {
		return nil, err
	}
	staging := filepath.Join(l.Results, "."+l.Table+sessionSuffix+".tmp")
	if err := os.RemoveAll(staging); err != nil { // a claim was killed; nothing was measured yet
		return nil, fmt.Errorf("claim results: %w", err)
	}
	if err := os.Mkdir(staging, 0o755); err != nil {
		return nil, fmt.Errorf("claim results: %w", err)
	}
	j, err := fillSessionDir(staging, plan, host, boot, now, files)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("claim results: %w", err), os.RemoveAll(staging))
	}
	if err := moveDir(staging, l.SessionDir()); err != nil {
		return nil, errors.Join(fmt.Errorf("claim results: %w", err), j.close(), os.RemoveAll(staging))
	}
	return &Session{Layout: l, Plan: plan, Host: host, journal: j}, nil
}

// fillSessionDir writes the files of a new session.
func fillSessionDir(dir string, plan *record.Plan, host *record.Host, boot Boot, now Now, files []File) (*journal, error) {
	var planText, hostText bytes.Buffer
	if err := record.WritePlan(&planText, plan); err != nil {
		return nil, err
	}
	if err := record.WriteHost(&hostText, host); err != nil {
		return nil, err
	}
	for _, f := range append([]File{{record.PlanFile, planText.Bytes()}, {record.HostFile, hostText.Bytes()}}, files...) {
		if err := record.WriteFile(filepath.Join(dir, f.Name), f.Data); err != nil {
			return nil, err
		}
	}
	j, err := openJournal(filepath.Join(dir, record.JournalFile), now, State{})
	if err != nil {
		return nil, err
	}
	err = j.write(record.Event{Kind: record.SessionStarted, Session: plan.Session, Text: boot.String()})
	if err == nil {
		err = syncPath(dir)
	}
	if err != nil {
		return nil, errors.Join(err, j.close())
	}
	return j, nil
}

// refuseCopy looks through all sessions for one that is at the same plan. What cannot
// be read there is not this plan, as far as anybody can tell.
func refuseCopy(results string, plan *record.Plan) error {
	dirs, err := filepath.Glob(filepath.Join(results, "*"+sessionSuffix))
	if err != nil {
		return fmt.Errorf("look for copies in %s: %w", results, err) // a sign of patterns in its name
	}
	for _, dir := range dirs {
		other, err := record.ReadSession(os.DirFS(results), filepath.Base(dir))
		if err != nil || other.Plan.Hash != plan.Hash || other.Plan.RepeatOf != plan.RepeatOf {
			continue
		}
		if len(other.Journal.Of(record.SessionDone)) == 0 {
			return &CopyError{SessionDir: dir, Session: other.Plan.Session}
		}
	}
	return nil
}

// refuseTaken looks for the directories that a session would make.
func refuseTaken(l Layout, rounds int) error {
	dirs := []string{l.SessionDir()}
	for n := 1; n <= rounds; n++ {
		dirs = append(dirs, l.RoundDir(n))
	}
	for _, dir := range dirs {
		there, err := exists(dir)
		if err != nil {
			return fmt.Errorf("claim results: %w", err)
		}
		if there {
			return fmt.Errorf("claim %s: %w (%w)", dir, ErrTaken, fs.ErrExist)
		}
	}
	return nil
}
