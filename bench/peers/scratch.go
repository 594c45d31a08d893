package main

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

//go:embed sink.c nginx.conf wrk.lua
var files embed.FS

// newScratch makes a directory with the embedded files, for the compiler, nginx
// and wrk to read, and a certificate for servers. Every user may look into it: a
// worker of nginx does.
func newScratch() (dir string, err error) {
	dir, err = os.MkdirTemp("", "peers-")
	if err != nil {
		return "", err
	}
	errs := []error{os.Chmod(dir, 0o755), writeCertificate(dir, time.Now())}
	for _, name := range []string{sinkSource, nginxConfig, wrkScript} {
		data, err := files.ReadFile(name)
		errs = append(errs, err, os.WriteFile(filepath.Join(dir, name), data, 0o644))
	}
	if err := errors.Join(errs...); err != nil {
		return "", errors.Join(fmt.Errorf("write scratch files: %w", err), os.RemoveAll(dir))
	}
	return dir, nil
}
