package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// resultFile is the file of -o while the run is on. It is opened before the
// run, so that a name that cannot be written is told before the time is spent,
// and beside the name that it gets at the end, so that a reader never sees half
// a result and an interrupted run leaves an older one alone.
//
// Devices, pipes and symbolic links keep their place and are written to: a
// rename would put a file where /dev/null was. nil is no file at all.
type resultFile struct {
	name    string
	file    *os.File
	inPlace bool
	written bool
}

func createResultFile(name string) (*resultFile, error) {
	if name == "" {
		return nil, nil
	}
	r, err := openResultFile(name)
	if err != nil {
		return nil, r.failed(err)
	}
	return r, nil
}

// replaceFile writes a file as one of -o is written.
func replaceFile(name string, data []byte) error {
	r, err := openResultFile(name)
	if err != nil {
		return err
	}
	defer r.discard()
	return r.complete(func(out io.Writer) error {
		_, err := out.Write(data)
		return err
	})
}

func openResultFile(name string) (*resultFile, error) {
	r := &resultFile{name: name}
	info, err := os.Lstat(name)
	switch {
	case err == nil && !info.Mode().IsRegular():
		r.inPlace = true
		r.file, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o644)
	case err == nil || errors.Is(err, fs.ErrNotExist):
		r.file, err = os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	}
	return r, err
}

func (r *resultFile) failed(err error) error { return fmt.Errorf("-o %s: %w", r.name, cause(err)) }

// write completes the file with a result as JSON.
func (r *resultFile) write(result any) error {
	if r == nil {
		return nil
	}
	if err := r.complete(func(out io.Writer) error { return writeJSON(out, result) }); err != nil {
		return r.failed(err)
	}
	return nil
}

func (r *resultFile) complete(write func(io.Writer) error) error {
	info, err := r.file.Stat()
	switch {
	case err != nil:
		return err
	case !r.inPlace:
		err = r.file.Chmod(0o644) // os.CreateTemp makes files for the user alone
	case info.Mode().IsRegular(): // an older result behind a symbolic link
		err = r.file.Truncate(0)
	}
	if err = errors.Join(err, write(r.file), r.file.Close()); err == nil && !r.inPlace {
		err = os.Rename(r.file.Name(), r.name)
	}
	r.written = err == nil
	return err
}

// discard removes what a run without a result has left.
func (r *resultFile) discard() {
	if r == nil || r.written {
		return
	}
	r.file.Close() // may be closed already
	if !r.inPlace {
		os.Remove(r.file.Name())
	}
}
