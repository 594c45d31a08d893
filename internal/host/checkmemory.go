package host

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/scalws/scalbench/internal/units"
)

// checkMemory wants memory that is free for servers and generator.
func (e examination) checkMemory() []Finding {
	const name = "memory"
	free, ok := e.f.memory("MemAvailable")
	switch {
	case !ok:
		return one(findingf(name, NA, "this host does not tell how much memory is available"))
	case free < e.need.memoryBytes():
		return one(findingf(name, Refuse, "%s of memory available, want %s", units.Bytes(free), units.Bytes(e.need.memoryBytes())))
	}
	return one(findingf(name, OK, "%s of memory available", units.Bytes(free)))
}

// checkSwap refuses a host that swaps now. Pages that were put out long ago and that
// nobody asks for do no harm until a server's own are among them: a warning.
func (e examination) checkSwap() []Finding {
	const name = "swap"
	used, ok := e.f.swapUsed()
	moved := int64(0)
	if e.before.swapped != nil && e.after.swapped != nil {
		moved = *e.after.swapped - *e.before.swapped
	}
	switch {
	case !ok:
		return one(findingf(name, NA, "this host does not tell how much swap is used"))
	case moved > 0:
		return one(findingf(name, Refuse, "this host is swapping: %d pages within a second", moved))
	case used > 0:
		return one(findingf(name, Warn, "%s of swap are used: memory was short before, and a page of a server may be there", units.Bytes(used)))
	}
	return one(findingf(name, OK, "no swap is used"))
}

// swapUsed is how much memory was put out.
func (f FS) swapUsed() (bytes int64, ok bool) {
	total, ok1 := f.memory("SwapTotal")
	free, ok2 := f.memory("SwapFree")
	return total - free, ok1 && ok2
}

// vmstatCount is a number of /proc/vmstat.
func vmstatCount(vmstat, key string) (int64, bool) {
	text, ok := keyed(vmstat, key, " ")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// checkDisk wants space for the results: a session that ends for want of it has
// measured in vain.
func (e examination) checkDisk() []Finding {
	const name = "disk"
	if e.need.ResultsDir == "" {
		return nil
	}
	dir, err := existing(e.need.ResultsDir)
	if err != nil {
		return one(findingf(name, Refuse, "%s cannot be looked at: %v", e.need.ResultsDir, err))
	}
	free, err := freeBytes(dir)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return one(findingf(name, NA, "free space is not known on this system"))
	case err != nil:
		return one(findingf(name, Refuse, "free space of %s is not known: %v", dir, err))
	case free < e.need.diskBytes():
		return one(findingf(name, Refuse, "%s free in %s, want %s", units.Bytes(free), dir, units.Bytes(e.need.diskBytes())))
	}
	return one(findingf(name, OK, "%s free in %s", units.Bytes(free), dir))
}

// existing is the nearest directory above a path that is there.
func existing(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for {
		_, err := os.Stat(dir)
		if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return dir, err
		}
		dir = filepath.Dir(dir)
	}
}
