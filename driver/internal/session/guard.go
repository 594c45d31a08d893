package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// GuardSocket is the name of the second guard in the abstract namespace (unix(7)): no
// file, gone with its process. It is one per network namespace, whatever files its
// members see, which is where the lock file is blind; and it can answer.
const GuardSocket = "scalbench"

const (
	answerBytesMax = 64 << 10 // anybody may have bound the name
	answerPatience = time.Second
)

// errNoGuard says that a system has no abstract sockets.
var errNoGuard = errors.New("abstract sockets are Linux's")

// guard is the bound socket. Its goroutine answers each caller and ends at close.
type guard struct {
	listener net.Listener
	ended    chan struct{}
}

// listenGuard binds the socket, or fails with errLocked; who is asked for each answer.
func listenGuard(name string, who func() Owner) (*guard, error) {
	if runtime.GOOS != "linux" {
		return nil, errNoGuard
	}
	listener, err := net.Listen("unix", "@"+name)
	if errors.Is(err, unix.EADDRINUSE) {
		return nil, errLocked
	}
	if err != nil {
		return nil, err
	}
	g := &guard{listener: listener, ended: make(chan struct{})}
	go g.answerLoop(who)
	return g, nil
}

// answerLoop tells each caller the owner as JSON. One after the other: an answer fits
// into a socket's buffer, so that no caller can hold up the next. An error other than
// that of close (no descriptor left) ends the answers too: the name stays taken, and to
// try again at once would load the host that is measured.
func (g *guard) answerLoop(who func() Owner) {
	defer close(g.ended)
	for {
		conn, err := g.listener.Accept()
		if err != nil {
			return
		}
		conn.SetDeadline(time.Now().Add(answerPatience)) // fails only on a closed connection
		json.NewEncoder(conn).Encode(who())              // one who hung up needs no answer
		conn.Close()
	}
}

// close frees the name and waits for the goroutine.
func (g *guard) close() error {
	err := g.listener.Close()
	<-g.ended
	return err
}

// askGuard asks whoever has the socket who it is.
func askGuard(name string) (*Owner, error) {
	if runtime.GOOS != "linux" {
		return nil, errNoGuard
	}
	conn, err := net.DialTimeout("unix", "@"+name, answerPatience)
	if err != nil {
		return nil, fmt.Errorf("ask @%s: %w", name, err)
	}
	defer conn.Close() // read only
	if err := conn.SetDeadline(time.Now().Add(answerPatience)); err != nil {
		return nil, fmt.Errorf("ask @%s: %w", name, err)
	}
	text, err := io.ReadAll(io.LimitReader(conn, answerBytesMax))
	if err != nil {
		return nil, fmt.Errorf("ask @%s: %w", name, err)
	}
	o := new(Owner)
	if err := json.Unmarshal(text, o); err != nil || o.PID <= 0 {
		return nil, fmt.Errorf("ask @%s: the answer is no owner's: %.40q", name, text)
	}
	return o, nil
}
