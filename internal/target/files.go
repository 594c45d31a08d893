package target

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
)

// Sizes of the static files in bytes, multiples of [lineBytes].
const (
	smallBytes = 1 << 10
	largeBytes = 1 << 20
	lineBytes  = 64
)

// files are the static files on disk.
type files struct {
	small, large string // paths
	ownDir       string // temporary directory to remove; "" when it was given
}

// makeFiles writes the static files into dir; into a fresh temporary directory
// when dir is "".
func makeFiles(dir string) (files, error) {
	var made files
	if dir == "" {
		own, err := os.MkdirTemp("", "scalbench-target-")
		if err != nil {
			return files{}, fmt.Errorf("make directory of the static files: %w", err)
		}
		made.ownDir, dir = own, own
	}
	for _, f := range []struct {
		path *string
		name string
		size int
	}{
		{&made.small, "static-small", smallBytes},
		{&made.large, "static-1m", largeBytes},
	} {
		path := filepath.Join(dir, f.name)
		if err := makeFile(path, f.size); err != nil {
			return files{}, errors.Join(fmt.Errorf("make static file: %w", err), made.remove())
		}
		*f.path = path // only now: remove must not touch what was there before
	}
	return made, nil
}

// makeFile creates the file at path, which must not exist, and fills it.
func makeFile(path string, size int) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 64<<10)
	writeErr := writeContent(w, size)
	if err := errors.Join(writeErr, w.Flush(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// writeContent writes size bytes, a multiple of [lineBytes], as doc.go
// describes them: each line is its own offset.
func writeContent(w io.Writer, size int) error {
	var digits [20]byte
	for offset := 0; offset < size; offset += lineBytes {
		line := [lineBytes]byte{lineBytes - 1: '\n'}
		number := strconv.AppendInt(digits[:0], int64(offset), 10)
		zeros := lineBytes - 1 - len(number)
		for i := range zeros {
			line[i] = '0'
		}
		copy(line[zeros:], number)
		if _, err := w.Write(line[:]); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes what makeFiles made.
func (f files) remove() error {
	if f.ownDir != "" {
		return os.RemoveAll(f.ownDir)
	}
	var errs []error
	for _, path := range []string{f.small, f.large} {
		if path == "" {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
