package target

import (
	"fmt"
	"os"

	"github.com/valyala/fasthttp"
	"golang.org/x/sys/unix"
)

// staticSmall opens, measures, reads and closes the small file. fasthttp.FS is
// not used: it keeps files open for seconds, so that it measures memory, and
// servers under test are measured with open_file_cache off.
func (s *server) staticSmall(ctx *fasthttp.RequestCtx) {
	var buf [smallBytes]byte // on the stack; SetBody copies into the response's pooled buffer
	n, err := readFile(s.files.small, buf[:])
	if err != nil {
		s.fail(ctx, err)
		return
	}
	ctx.Response.SetBody(buf[:n])
}

// static1M hands the open file to fasthttp, which writes the head, sends the
// file with sendfile(2) and closes it. That happens only for a bare *os.File
// of more than 8 KiB on a bare *net.TCPConn: any wrapper around either falls
// back to read and write.
func (s *server) static1M(ctx *fasthttp.RequestCtx) {
	fd, size, err := openFile(s.files.large)
	if err != nil {
		s.fail(ctx, err)
		return
	}
	// os.Open would cost four more system calls: it tries to make the
	// descriptor non-blocking and to poll it, which no regular file can.
	ctx.Response.SetBodyStream(os.NewFile(uintptr(fd), s.files.large), int(size))
}

// readFile reads the file at path into buf and returns its size in bytes. A
// file larger than buf is an error: somebody changed it.
func readFile(path string, buf []byte) (n int, err error) {
	fd, size, err := openFile(path)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	if size > int64(len(buf)) {
		return 0, fmt.Errorf("read %s: %d bytes, expected %d", path, size, len(buf))
	}
	for n < int(size) {
		got, err := unix.Read(fd, buf[n:size])
		switch {
		case err == unix.EINTR:
		case err != nil:
			return 0, fmt.Errorf("read %s: %w", path, err)
		case got == 0:
			return 0, fmt.Errorf("read %s: ended after %d of %d bytes", path, n, size)
		default:
			n += got
		}
	}
	return n, nil
}

// openFile opens the file at path for reading and asks for its size in bytes.
func openFile(path string) (fd int, size int64, err error) {
	for {
		fd, err = unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != unix.EINTR { // file systems in user space return it
			break
		}
	}
	if err != nil {
		return -1, 0, fmt.Errorf("open %s: %w", path, err)
	}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		unix.Close(fd)
		return -1, 0, fmt.Errorf("stat %s: %w", path, err)
	}
	return fd, stat.Size, nil
}

// fail answers 500 for a fault of this server and logs it.
func (s *server) fail(ctx *fasthttp.RequestCtx, err error) {
	s.faults.Printf("%v", err)
	ctx.Error(err.Error()+"\n", fasthttp.StatusInternalServerError)
}
