package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// qlog gives a file for each QUIC connection in the directory that --qlog names;
// nil without it. The directory is there: checkQlog has made it.
func (o *loadOptions) qlog() func(string) (io.WriteCloser, error) {
	if o.qlogDir == "" {
		return nil
	}
	return func(connection string) (io.WriteCloser, error) {
		f, err := os.Create(filepath.Join(o.qlogDir, connection+"_client.sqlog"))
		if err != nil {
			return nil, err
		}
		return bufferedFile{bufio.NewWriter(f), f}, nil
	}
}

// checkQlog makes the directory before anything is measured.
func (o *loadOptions) checkQlog(http3 bool) error {
	switch {
	case o.qlogDir == "":
		return nil
	case !http3:
		return usagef("--qlog: only HTTP/3 has events of QUIC, want --http3")
	}
	return os.MkdirAll(o.qlogDir, 0o755)
}

// bufferedFile is a file that is written in larger pieces.
type bufferedFile struct {
	*bufio.Writer
	file *os.File
}

// Close writes what is left.
func (b bufferedFile) Close() error { return errors.Join(b.Flush(), b.file.Close()) }
