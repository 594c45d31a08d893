package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/scalws/scalbench/internal/record"
)

// Pass is the directory of something that is done beside the rounds of a session, such
// as counting system calls: xeon-gate1.session/syscalls-1. The journal knows nothing of it.
// A pass is over when the file that [Pass.Finish] writes is there; one without was cut, and
// the next begins anew in a directory of its own.
type Pass struct{ Dir string }

// BeginPass makes the directory of a pass, with the first number that is free.
func (l Layout) BeginPass(kind string) (Pass, error) {
	for n := 1; ; n++ {
		p := Pass{filepath.Join(l.SessionDir(), kind+"-"+strconv.Itoa(n))}
		err := os.Mkdir(p.Dir, 0o755)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			err = syncPath(l.SessionDir())
		}
		if err != nil {
			return Pass{}, fmt.Errorf("begin %s: %w", kind, err)
		}
		return p, nil
	}
}

// Write writes a file about a row of a variant, whole: VARIANT/[MODE+]SCENARIO/name.
func (p Pass) Write(variant, mode, scenario, name string, data []byte) error {
	dir := filepath.Join(p.Dir, variant, rowName(mode, scenario))
	if err := makeDir(dir); err != nil {
		return err
	}
	return record.WriteFile(filepath.Join(dir, name), data)
}

// Finish writes a file about the whole pass.
func (p Pass) Finish(name string, data []byte) error {
	return record.WriteFile(filepath.Join(p.Dir, name), data)
}

// Finished returns a session that is done, for a pass beside its rounds. Nothing of its
// rounds can be changed any more.
func Finished(l Layout) (*Session, error) {
	on, state, err := Read(l)
	if err != nil {
		return nil, err
	}
	if !state.Done {
		return nil, fmt.Errorf("%s is not finished", l.SessionDir())
	}
	return &Session{Layout: l, Plan: on.Plan, Host: on.Host, journal: &journal{state: state}}, nil
}
