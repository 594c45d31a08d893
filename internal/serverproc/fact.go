package serverproc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Fact is something that was looked for and may not have been found out.
type Fact[T any] struct {
	Value T      // the zero T where NA is not ""
	NA    string // why it is not known: a phrase such as "another user's process"
}

// Known reports whether Value means something.
func (f Fact[T]) Known() bool { return f.NA == "" }

// String returns the value, or "n/a (why)".
func (f Fact[T]) String() string {
	if !f.Known() {
		return "n/a (" + f.NA + ")"
	}
	return fmt.Sprint(f.Value)
}

func known[T any](value T) Fact[T] { return Fact[T]{Value: value} }

func unknown[T any](why string) Fact[T] { return Fact[T]{NA: why} }

// fact is a reading, or why there is none. what is the file, in words.
func fact[T any](value T, err error, what string, pid int) Fact[T] {
	switch {
	case err == nil:
		return known(value)
	case errors.Is(err, fs.ErrPermission):
		return unknown[T](fmt.Sprintf("user %d may not read the %s of process %d", os.Geteuid(), what, pid))
	case errors.Is(err, fs.ErrNotExist):
		return unknown[T](fmt.Sprintf("this kernel does not tell the %s of process %d", what, pid))
	}
	return unknown[T](fmt.Sprintf("%s of process %d: %v", what, pid, err))
}
