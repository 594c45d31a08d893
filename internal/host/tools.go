package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/scalws/scalbench/internal/units"
)

// ownHash is the SHA-256 of the executable of this process. It is a fact of the
// moment: the host is the same with another build of this program.
func (f FS) ownHash() string {
	file, err := os.Open(filepath.Join(f.root, "proc/self/exe"))
	if err != nil {
		return units.NotAvailable
	}
	defer func() { _ = file.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return units.NotAvailable
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// toolPatience is how long a tool may take to say its version.
const toolPatience = 5 * time.Second

// ToolVersions asks tools such as perf for their versions, as facts of the moment:
// the first line of what "NAME --version" prints, by "tool." and the name; "n/a" for
// one that is not there or does not say, and when ctx is over.
func ToolVersions(ctx context.Context, tools ...string) map[string]string {
	facts := map[string]string{}
	for _, tool := range tools {
		facts["tool."+filepath.Base(tool)] = toolVersion(ctx, tool)
	}
	return facts
}

// nobodyID is the user and the group that may do nothing: nobody, on Linux and the BSDs.
const nobodyID = 65534

// toolVersion asks one. Who does not know the question may take it for an order to begin to
// work: it is asked as nobody where we are root, and what it has started ends with it.
func toolVersion(ctx context.Context, tool string) string {
	ctx, cancel := context.WithTimeout(ctx, toolPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, tool, "--version")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobodyID, Gid: nobodyID}
	}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // for what has left its group with our pipe
	out, err := cmd.CombinedOutput()
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if err != nil || line == "" {
		return units.NotAvailable
	}
	return line
}
