package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile writes a file that is not there yet, whole or not at all: under another
// name, synced, renamed, and the directory synced. After a crash there is the whole
// file or none, and at most a leftover .NAME.tmp, which the next try replaces.
//
// A file that exists is refused with [fs.ErrExist]: nothing measured is ever
// overwritten. (rename would overwrite one that comes into being in between; only
// one driver writes, it holds the host's lock. link would not, but not every file
// system has it.)
func WriteFile(name string, data []byte) error {
	if _, err := os.Lstat(name); err == nil {
		return fmt.Errorf("write %s: %w", name, fs.ErrExist)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write %s: %w", name, err)
	}
	dir := filepath.Dir(name)
	unfinished := filepath.Join(dir, "."+filepath.Base(name)+".tmp")
	if err := writeSynced(unfinished, data); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := os.Rename(unfinished, name); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := syncDir(dir); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// writeSynced returns when the data is on the disk.
func writeSynced(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// syncDir makes a rename in a directory last.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
