package driver

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/scalws/scalbench/driver/internal/measure"
	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/suite"
)

// cutPass is what the directories of what is kept so are called.
const cutPass = "cut"

// keepCutLogs saves what servers have written whose sitting was killed: it lies where
// they ran, which the next sitting clears. The logs may say why it ended, and belong to
// attempts that were cut. They go below the session's directory, cut-1 and so on, as
// VARIANT-START.PROCESS.STREAM.log; nothing is there when none has written anything.
func keepCutLogs(l session.Layout, s *suite.Suite, id string) error {
	works, err := workDirs(id)
	if err != nil {
		return err
	}
	for _, work := range works {
		logs, err := measure.LogsLeft(work, s)
		if err == nil {
			err = keepLogs(l, work, logs)
		}
		if err != nil {
			return fmt.Errorf("keep the logs of %s: %w", work, err)
		}
	}
	return nil
}

// keepLogs copies what there is of some logs below work.
func keepLogs(l session.Layout, work string, logs []string) error {
	var pass session.Pass
	for _, log := range logs {
		data, err := measure.LogExcerpt(log)
		if err != nil {
			return err
		}
		if len(data) == 0 {
			continue
		}
		if pass.Dir == "" {
			if pass, err = l.BeginPass(cutPass); err != nil {
				return err
			}
		}
		name, err := filepath.Rel(work, log)
		if err != nil {
			return err
		}
		if err := pass.Finish(strings.ReplaceAll(name, string(filepath.Separator), "."), data); err != nil {
			return err
		}
	}
	return nil
}

// workDirs are where the servers of a session have run that were left there.
func workDirs(id string) ([]string, error) {
	dirs, err := filepath.Glob(filepath.Join(os.TempDir(), workPrefix(id)+"*"))
	if err != nil {
		return nil, fmt.Errorf("look for what a sitting has left: %w", err)
	}
	var own []string
	for _, dir := range dirs {
		if info, err := os.Lstat(dir); err == nil && info.Mode().Type() == fs.ModeDir {
			own = append(own, dir)
		}
	}
	return own, nil
}

// workPrefix begins the names of those directories.
func workPrefix(id string) string { return "scalbench-" + id + "-" }
