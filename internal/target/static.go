package target

import (
	"fmt"
	"io"

	"golang.org/x/sys/unix"
)

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
		got, err := read(fd, buf[n:size])
		if err != nil {
			return 0, fmt.Errorf("read %s after %d of %d bytes: %w", path, n, size, err)
		}
		n += got
	}
	return n, nil
}

// read reads at least one byte into buf, which has room for one. The end of the
// file is an error: what was measured before is not there.
func read(fd int, buf []byte) (n int, err error) {
	for {
		n, err = unix.Read(fd, buf)
		if err != unix.EINTR { // file systems in user space return it
			break
		}
	}
	switch {
	case err != nil:
		return 0, err
	case n == 0:
		return 0, io.ErrUnexpectedEOF
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
