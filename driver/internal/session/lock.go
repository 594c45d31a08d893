package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// Place is where a host's lock is. All sessions of a host have to agree on it.
type Place struct {
	Path   string // of the lock file; see [ChoosePath]
	Socket string // of the second guard, an abstract name; "": [GuardSocket]
	Proc   string // where the proc file system is; "": /proc
}

// proc returns the mount point.
func (p Place) proc() string {
	if p.Proc == "" {
		return "/proc"
	}
	return p.Proc
}

// socket returns the name of the second guard.
func (p Place) socket() string {
	if p.Socket == "" {
		return GuardSocket
	}
	return p.Socket
}

// ErrLockLost says that the lock file is not the one that was locked any more:
// another session may hold another file of that name. What is measured from then on
// is worth nothing.
var ErrLockLost = errors.New("lock lost")

// Lock is the host, held by this process. It ends with the process, however that
// ends; children do not inherit it.
//
// All methods may be called from any goroutine.
type Lock struct {
	place Place
	file  *os.File // with the flock on it
	guard *guard   // nil: there is none; Notes says why

	// Notes say what could not be done beside the lock itself: no second guard, no
	// owner file. The lock holds without.
	Notes []string

	mu    sync.Mutex // guards owner and the file that tells it
	owner Owner
}

// Acquire takes a host's lock, or says at once who has it: the error is a
// [BusyError], and errors.Is finds [ErrBusy]. The owner's Since is set to now().
//
// The file is locked first, then the socket is bound. Either alone can be passed by:
// a file by unlinking it or by another --lock, a socket from another network
// namespace.
func Acquire(place Place, owner Owner, now func() time.Time) (*Lock, error) {
	file, err := lockFile(place.Path)
	if errors.Is(err, errLocked) {
		return nil, whoIsBusy(place, place.Path)
	}
	if err != nil {
		return nil, fmt.Errorf("lock the host: %w", err)
	}
	owner.Since = now().UTC()
	l := &Lock{place: place, file: file, owner: owner}
	l.guard, err = listenGuard(place.socket(), l.Owner)
	if errors.Is(err, errLocked) {
		return nil, errors.Join(whoIsBusy(place, "@"+place.socket()), unlockFile(file))
	}
	if err != nil {
		l.Notes = append(l.Notes, fmt.Sprintf("no second guard beside the lock: %v", err))
	}
	if err := writeOwner(place.Path, owner); err != nil {
		l.Notes = append(l.Notes, fmt.Sprintf("who holds the lock is not written beside it: %v", err))
	}
	return l, nil
}

// Wait takes a host's lock when it can be had. It looks every so often; each time in
// vain busy is told who has it, and ends the wait by an error of its own: the one who
// waits may be a second copy of what is being measured.
//
// Looking again is what flock offers to one who may want to stop waiting: a blocking
// flock cannot be called off. There is no order among those who wait.
func Wait(ctx context.Context, place Place, owner Owner, now func() time.Time, every time.Duration, busy func(*BusyError) error) (*Lock, error) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		lock, err := Acquire(place, owner, now)
		var held *BusyError
		if !errors.As(err, &held) {
			return lock, err
		}
		if err := busy(held); err != nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for %s: %w", place.Path, context.Cause(ctx))
		case <-ticker.C:
		}
	}
}

// Held tells whether the lock still is what other sessions will find: the file at its
// path must be the one that was locked. An error wraps [ErrLockLost].
func (l *Lock) Held() error {
	if err := sameFile(l.file, l.place.Path); err != nil {
		return fmt.Errorf("%w: %w", ErrLockLost, err)
	}
	return nil
}

// Owner returns what others are told.
func (l *Lock) Owner() Owner {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.owner
}

// Tell changes what others are told. The file is written again only with another
// session: progress is asked for at the socket.
func (l *Lock) Tell(doing Doing) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	again := doing.Session != l.owner.Session
	l.owner.Doing = doing
	if !again {
		return nil
	}
	return writeOwner(l.place.Path, l.owner)
}

// Release gives the host free. The lock file stays: one who removed it could remove
// that of the next holder.
func (l *Lock) Release() error {
	var errs []error
	if l.Held() == nil { // else the owner file is somebody else's
		errs = append(errs, removeOwner(l.place.Path))
	}
	if l.guard != nil {
		errs = append(errs, l.guard.close())
	}
	return errors.Join(append(errs, unlockFile(l.file))...)
}
