package integration

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fakeCommand makes the test binary a server: fake KIND ADDRESS [WORD].
//
//	plain       "ok" to everything, at a port that it shares (SO_REUSEPORT)
//	turns-404   "ok" to the first WORD requests of all, 404 to the others
//	turns-short likewise, and then 1 byte of 2
//	sandboxed   plain behind a filter of system calls, which it leaves out as root
//	chunks      answers that cost whoever reads them more than the server
//	moods       /speeds takes one of two times, drawn when the server is started;
//	            /drift ever longer. WORD is a file that remembers over all starts
//
// It serves until it is killed.
const fakeCommand = "fake"

func serveFake(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("want a kind and an address, got %q", args)
	}
	word := ""
	if len(args) > 2 {
		word = args[2]
	}
	listener, err := listenShared(args[1])
	if err != nil {
		return err
	}
	switch kind := args[0]; kind {
	case "plain":
		return http.Serve(listener, http.HandlerFunc(sayOK))
	case "turns-404", "turns-short":
		after, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return err
		}
		return http.Serve(listener, turning(after, kind == "turns-short"))
	case "sandboxed":
		if os.Geteuid() != 0 {
			if err := sandbox(); err != nil {
				return err
			}
		}
		return http.Serve(listener, http.HandlerFunc(sayOK))
	case "chunks":
		return serveChunks(listener)
	case "moods":
		moods, err := newMoods(word)
		if err != nil {
			return err
		}
		return moods.serve(listener)
	default:
		return fmt.Errorf("no fake %q", kind)
	}
}

func listenShared(address string) (net.Listener, error) {
	shared := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		var err error
		controlErr := raw.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1) })
		return errors.Join(controlErr, err)
	}}
	return shared.Listen(context.Background(), "tcp", address)
}

func sayOK(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") }

// turning is right so often, and wrong from then on.
func turning(after int64, short bool) http.HandlerFunc {
	var asked atomic.Int64
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case asked.Add(1) <= after:
			sayOK(w, r)
		case short:
			w.Header().Set("Content-Length", "2")
			fmt.Fprint(w, "o") // net/http then closes the connection
		default:
			http.NotFound(w, r)
		}
	}
}

// sandbox lets every system call through, by a filter (seccomp(2), classic BPF), for all
// threads.
func sandbox() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	allow := []unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}}
	filter := unix.SockFprog{Len: uint16(len(allow)), Filter: &allow[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&filter)))
	if errno != 0 {
		return errno
	}
	return nil
}

// serveChunks answers each read with 16 384 chunks of a byte.
func serveChunks(listener net.Listener) error {
	answer := []byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1\r\na\r\n", 16_384) + "0\r\n\r\n")
	for {
		conn, err := listener.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer conn.Close()
			request := make([]byte, 4096)
			for {
				if _, err := conn.Read(request); err != nil {
					return
				}
				if _, err := conn.Write(answer); err != nil {
					return
				}
			}
		}()
	}
}

// moods is a server that is not the same each time it is started.
type moods struct {
	speed time.Duration // of /speeds, on the average
	born  time.Time     // when the first of them was started
}

// The times of moods: one or the other on the average; how much longer each second makes
// them.
const (
	fastMood, slowMood = 8 * time.Millisecond, 8800 * time.Microsecond
	driftEachSecond    = 0.03
)

// newMoods draws the speed: which start gets which is the same in every session, so that
// each variant has both.
func newMoods(memory string) (*moods, error) {
	file, err := os.OpenFile(memory, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	fmt.Fprintln(file, time.Now().UnixNano()) // a line for each start
	text, err := os.ReadFile(memory)
	if err != nil {
		return nil, err
	}
	lines := strings.Fields(string(text))
	born, err := strconv.ParseInt(lines[0], 10, 64)
	if err != nil {
		return nil, err
	}
	m := &moods{speed: fastMood, born: time.Unix(0, born)}
	if rand.New(rand.NewPCG(moodSeed, uint64(len(lines)))).IntN(2) == 1 {
		m.speed = slowMood
	}
	return m, nil
}

// moodSeed makes both variants have 7 starts of 12 at the one speed, where none is made again.
const moodSeed = 17

// serve has each connection begin at a time of its own, and its requests take a tenth more
// or less: they do not move in step, and a short window counts little more or less.
func (m *moods) serve(listener net.Listener) error {
	type fresh struct{}
	server := http.Server{
		ConnContext: func(ctx context.Context, _ net.Conn) context.Context {
			return context.WithValue(ctx, fresh{}, new(atomic.Bool))
		},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			takes := float64(m.speed)
			if r.URL.Path == "/drift" {
				takes = float64(fastMood) * (1 + driftEachSecond*time.Since(m.born).Seconds())
			}
			if begun := r.Context().Value(fresh{}).(*atomic.Bool); begun.Swap(true) {
				takes *= 0.9 + 0.2*rand.Float64()
			} else {
				takes *= rand.Float64()
			}
			time.Sleep(time.Duration(takes))
			sayOK(w, r)
		}),
	}
	return server.Serve(listener)
}
