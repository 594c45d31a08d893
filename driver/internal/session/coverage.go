package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// initPIDNamespace is the PID namespace that a kernel starts with; its number is fixed
// (PROC_PID_INIT_INO in the kernel's proc_ns.h, 0xEFFFFFFC).
const initPIDNamespace = "pid:[4026531836]"

// Coverage says what a lock covers when that is not the whole host: inside of a
// container it is those who see the same file or share the network. "" on a host. root
// is "/".
//
// Detection is by the PID namespace, which an ordinary user may read, and by the files
// that container engines leave, for a container may share the host's processes.
func Coverage(root, lockPath string) string {
	if !inContainer(root) {
		return ""
	}
	return fmt.Sprintf("this is a container: the lock %s keeps out sessions that see the same file or share this network, "+
		"not others on the host; give all of them one file with --lock PATH", lockPath)
}

// inContainer tells whether this process sees less than the host.
func inContainer(root string) bool {
	if ns := pidNamespace(filepath.Join(root, "proc")); ns != "" && ns != initPIDNamespace {
		return true
	}
	for _, mark := range []string{".dockerenv", "run/.containerenv"} {
		if _, err := os.Lstat(filepath.Join(root, mark)); !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	return false
}
