package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// wwwLine is the text of the files that servers of files get, 16 bytes.
const wwwLine = "0123456789abcde\n"

// writeWWW writes the files to serve into a folder that it makes. All may read
// them: a worker of nginx runs as another user when its master is root.
func writeWWW(dir string) error {
	text := func(bytes int) []byte { return []byte(strings.Repeat(wwwLine, bytes/len(wwwLine))) }
	return errors.Join(
		os.MkdirAll(dir, 0o755),
		os.WriteFile(filepath.Join(dir, "static-small"), text(1<<10), 0o644),
		os.WriteFile(filepath.Join(dir, "static-1m"), text(1<<20), 0o644),
	)
}
