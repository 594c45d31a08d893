package target

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
)

// Config says where the embedded server listens and keeps its files. The zero
// value is complete: a free port of 127.0.0.1 and a fresh temporary directory.
type Config struct {
	// Listen is host:port of a TCP address. "" is 127.0.0.1:0; port 0 is a
	// free port, which the listening line names.
	Listen string

	// Dir is an existing directory in which the files of the static routes
	// are made; they are removed at the end, the directory stays, and nothing
	// that is already there is overwritten. "" is a fresh temporary directory
	// that is removed with its content.
	Dir string

	// Log takes one line for each real fault, such as a file that cannot be
	// opened. What clients do (resets, unfinished requests) is no fault. nil
	// is os.Stderr.
	Log io.Writer
}

// Validate returns all faults of c joined, nil when there is none. It looks at
// Dir on disk, so that a wrong address and a wrong directory are told together.
func (c Config) Validate() error {
	return errors.Join(c.validateListen(), c.validateDir())
}

func (c Config) validateListen() error {
	if c.Listen == "" {
		return nil
	}
	_, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return fmt.Errorf("listen address %q: expected host:port such as 127.0.0.1:0", c.Listen)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("listen address %q: port %q: expected a number from 0 to 65535", c.Listen, port)
	}
	return nil
}

func (c Config) validateDir() error {
	if c.Dir == "" {
		return nil
	}
	info, err := os.Stat(c.Dir)
	if err != nil {
		return fmt.Errorf("directory of the static files: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("directory of the static files: %q is not a directory", c.Dir)
	}
	return nil
}

// withDefaults returns c with its zero fields filled in.
func (c Config) withDefaults() Config {
	if c.Listen == "" {
		c.Listen = "127.0.0.1:0"
	}
	if c.Log == nil {
		c.Log = os.Stderr
	}
	return c
}
