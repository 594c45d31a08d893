package session

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// makeDir makes a directory and those above it, and syncs each entry, so that what is
// written into it later cannot be lost with it.
func makeDir(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := makeDir(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncPath(parent)
}

// moveDir renames a directory in its parent for good. It never replaces one: os.Rename
// refuses a directory that is there, rename(2) one with files in it.
func moveDir(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return syncPath(filepath.Dir(to))
}

// syncTree syncs a directory with all files in it, also those that other processes
// wrote there. Links are not followed.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() && !d.Type().IsRegular() {
			return err
		}
		return syncPath(path)
	})
}

// syncPath returns when a file, or the entries of a directory, are on the disk.
func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// exists tells whether there is something at a path.
func exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
