package driver

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/scalws/scalbench/driver/internal/measure"
	"github.com/scalws/scalbench/internal/record"
)

// keepCutLogs saves what servers have written whose sitting was killed: it lies where
// they ran, which the next sitting clears. The logs may say why it ended, and belong to
// attempts that were cut. They go below the session's directory, cut-1 and so on, as
// VARIANT-START.PROCESS.STREAM.log; nothing is there when none has written anything.
func keepCutLogs(sessionDir, id string) error {
	works, err := workDirs(id)
	if err != nil {
		return err
	}
	for _, work := range works {
		logs, err := filepath.Glob(filepath.Join(work, "*", "*", "*.log"))
		if err != nil {
			return err
		}
		if err := keepLogs(sessionDir, work, logs); err != nil {
			return fmt.Errorf("keep the logs of %s: %w", work, err)
		}
	}
	return nil
}

// keepLogs copies what there is of some logs below work.
func keepLogs(sessionDir, work string, logs []string) error {
	to := ""
	for _, log := range logs {
		data, err := measure.LogExcerpt(log)
		if err != nil {
			return err
		}
		if len(data) == 0 {
			continue
		}
		if to == "" {
			if to, err = makeFree(filepath.Join(sessionDir, "cut")); err != nil {
				return err
			}
		}
		name, err := filepath.Rel(work, log)
		if err != nil {
			return err
		}
		if err := record.WriteFile(filepath.Join(to, strings.ReplaceAll(name, string(filepath.Separator), ".")), data); err != nil {
			return err
		}
	}
	return nil
}

// makeFree makes the first directory of base-1, base-2, ... that is not there.
func makeFree(base string) (string, error) {
	for n := 1; ; n++ {
		dir := fmt.Sprintf("%s-%d", base, n)
		err := os.Mkdir(dir, 0o755)
		if err == nil || !os.IsExist(err) {
			return dir, err
		}
	}
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
