package serverproc

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"
)

// fileKey names the content of a file, as far as the file system tells without
// reading it. A running program cannot be written to (ETXTBSY).
type fileKey struct {
	dev, inode uint64
	bytes      int64
	mtime      time.Time
}

// hashes remembers the SHA-256 of files, so that an executable is read once and not
// each second. The zero value is ready.
type hashes struct {
	mu    sync.Mutex
	known map[fileKey]string // guarded by mu
}

// of returns the hash of a file in hexadecimal. The path may be a link of /proc, which
// leads to the file that was executed even when it was replaced or deleted since.
func (h *hashes) of(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	sys, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", fmt.Errorf("%s: the file system does not tell its inode", path)
	}
	key := fileKey{uint64(sys.Dev), sys.Ino, info.Size(), info.ModTime()}
	h.mu.Lock()
	defer h.mu.Unlock()
	if sum, there := h.known[key]; there {
		return sum, nil
	}
	sum, err := sha256Of(file)
	if err != nil {
		return "", err
	}
	if h.known == nil {
		h.known = map[fileKey]string{}
	}
	h.known[key] = sum
	return sum, nil
}

// HashFile returns the SHA-256 of a file in hexadecimal.
func HashFile(path string) (string, error) {
	var once hashes
	return once.of(path)
}

func sha256Of(in io.Reader) (string, error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, in); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
