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
// one that is not there or does not say.
func ToolVersions(ctx context.Context, tools ...string) map[string]string {
	facts := map[string]string{}
	for _, tool := range tools {
		facts["tool."+filepath.Base(tool)] = toolVersion(ctx, tool)
	}
	return facts
}

func toolVersion(ctx context.Context, tool string) string {
	ctx, cancel := context.WithTimeout(ctx, toolPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, tool, "--version")
	cmd.WaitDelay = time.Second // for what it has left behind with our pipe
	out, err := cmd.CombinedOutput()
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if err != nil || line == "" {
		return units.NotAvailable
	}
	return line
}
