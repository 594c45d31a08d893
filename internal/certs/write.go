package certs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Names of the files that [Set.Write] makes.
const (
	CAFile   = "ca.pem"
	CertFile = "cert.pem"
	KeyFile  = "key.pem"
)

// Write makes the three files in dir, which must exist; the key is readable by
// its owner alone. When one of them is there already nothing is written, and the
// error, an [fs.ErrExist], names every one. After another error none is left.
func (s *Set) Write(dir string) error {
	files := []struct {
		name string
		text []byte
		mode fs.FileMode
	}{
		{CAFile, s.CA, 0o644},
		{CertFile, s.Cert, 0o644},
		{KeyFile, s.Key, 0o600},
	}
	var inTheWay []error
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if _, err := os.Lstat(path); err == nil {
			inTheWay = append(inTheWay, fmt.Errorf("%s: %w", path, fs.ErrExist))
		}
	}
	if len(inTheWay) > 0 {
		return errors.Join(inTheWay...)
	}
	var written []string
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if err := writeNew(path, f.text, f.mode); err != nil {
			return errors.Join(err, removeAll(written))
		}
		written = append(written, path)
	}
	return nil
}

// writeNew writes a file that must not exist, also not since it was looked for.
func writeNew(path string, text []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err // it names the file
	}
	_, writeErr := f.Write(text)
	if err := errors.Join(writeErr, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

func removeAll(paths []string) error {
	var errs []error
	for _, path := range paths {
		errs = append(errs, os.Remove(path))
	}
	return errors.Join(errs...)
}
