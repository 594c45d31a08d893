package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// lockName is the lock file's name wherever it lies.
const lockName = "scalbench.lock"

// LockPaths are the places for a host's lock, best first; runtimeDir is the user's
// XDG_RUNTIME_DIR, "" for none. /run/lock is the same for all users where all may
// write to it; where they may not, two users choose different files and only the
// second guard keeps them apart.
func LockPaths(runtimeDir string) []string {
	paths := []string{filepath.Join("/run/lock", lockName)}
	if runtimeDir != "" {
		paths = append(paths, filepath.Join(runtimeDir, lockName))
	}
	return append(paths, filepath.Join("/tmp", lockName))
}

// ChoosePath returns the first path that can be locked: its file can be opened, or
// made. It locks nothing.
func ChoosePath(paths []string) (string, error) {
	var errs []error
	for _, path := range paths {
		f, err := openLock(path)
		if err == nil {
			return path, f.Close()
		}
		errs = append(errs, err)
	}
	return "", fmt.Errorf("no place for the host's lock, name one with --lock PATH: %w", errors.Join(errs...))
}

// errLocked says that somebody else has it.
var errLocked = errors.New("locked by another process")

// reopenMax bounds how often a lock file is opened anew because it was replaced
// between open and lock.
const reopenMax = 10

// lockFile opens and locks the file at a path.
func lockFile(path string) (*os.File, error) { return lockOpened(path, openLock) }

// lockOpened locks what open opens at a path. It is the file there when it returns:
// one who locked a file that was unlinked meanwhile would hold nothing.
func lockOpened(path string, open func(path string) (*os.File, error)) (*os.File, error) {
	for range reopenMax {
		f, err := open(path)
		if err != nil {
			return nil, err
		}
		if err := flock(f, unix.LOCK_EX|unix.LOCK_NB); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
		}
		if sameFile(f, path) == nil {
			return f, nil
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s was replaced each of %d times it was opened", path, reopenMax)
}

// openLock opens the lock file, and makes it when there is none.
//
// Reading is all that flock needs, so that a file made by one user serves the others.
// An existing file is opened without O_CREATE, since the kernel refuses that flag on
// another's file in a sticky directory (fs.protected_regular, proc_sys_fs(5)); a
// link is not followed, since anybody could lay one there. Go sets O_CLOEXEC.
func openLock(path string) (*os.File, error) {
	for range reopenMax {
		f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW, 0)
		if !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
		f, err = os.OpenFile(path, os.O_RDONLY|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o644)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, fmt.Errorf("%s comes and goes", path)
}

// flock changes the lock on an open file; errLocked when another has it.
func flock(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return errLocked
		case err != nil:
			return fmt.Errorf("flock: %w", err)
		default:
			return nil
		}
	}
}

// sameFile looks whether an open file is still the one at its path.
func sameFile(f *os.File, path string) error {
	open, err := f.Stat()
	if err != nil {
		return err
	}
	there, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s was removed", path)
	case err != nil:
		return err
	case !os.SameFile(open, there):
		return fmt.Errorf("%s was replaced", path)
	}
	return nil
}

// unlockFile frees a lock and closes its file. Closing alone would leave it locked as
// long as a child is between fork and exec and still has the descriptor.
func unlockFile(f *os.File) error { return errors.Join(flock(f, unix.LOCK_UN), f.Close()) }

// ownerPath is the file that tells who holds a lock: scalbench.owner.json.
func ownerPath(lockPath string) string { return strings.TrimSuffix(lockPath, ".lock") + ".owner.json" }

// writeOwner replaces the owner file; whoever reads it finds the old one or the new
// one. It fails in a sticky directory when another user's is left there by a kill.
// It is not synced: after a power cut there is no owner.
func writeOwner(lockPath string, o Owner) error {
	text, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		return fmt.Errorf("write owner: %w", err)
	}
	name := ownerPath(lockPath)
	unfinished := name + ".tmp"
	if err := os.Remove(unfinished); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(unfinished, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(unfinished, name)
}

// readOwner reads the owner file. What it says may be old: see [Owner.Liveness].
func readOwner(lockPath string) (*Owner, error) {
	text, err := os.ReadFile(ownerPath(lockPath))
	if err != nil {
		return nil, err
	}
	o := new(Owner)
	if err := json.Unmarshal(text, o); err != nil {
		return nil, fmt.Errorf("read %s: %w", ownerPath(lockPath), err)
	}
	return o, nil
}

// removeOwner is for the holder alone.
func removeOwner(lockPath string) error {
	err := os.Remove(ownerPath(lockPath))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it could not be written either
	}
	return err
}
