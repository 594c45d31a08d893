package integration

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/certs"
)

// document is a text for people, by its path from the module's root.
type document struct{ path, text string }

// documents reads all of them.
func documents(t *testing.T) []document {
	t.Helper()
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	var all []document
	for _, file := range append(files, "../../README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, document{strings.TrimPrefix(file, "../../"), string(text)})
	}
	return all
}

// shellBlock is a block of commands. They are all meant to be typed.
var shellBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// commands are the lines of the shell blocks without comments.
func (d document) commands() (lines []string) {
	for _, block := range shellBlock.FindAllStringSubmatch(d.text, -1) {
		for line := range strings.Lines(block[1]) {
			line, _, _ = strings.Cut(line, "# ")
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// Every command in the documents works. Those of make are only looked at; loads
// are shortened, and sent to the embedded server.
func TestDocumentedCommands(t *testing.T) {
	bin := filepath.Dir(program(t))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	ours := exampleServers{clear: startTarget(t).URL}
	ours.certificates, ours.secure = secureTarget(t)
	n := 0
	for _, d := range documents(t) {
		for _, command := range d.commands() {
			n++
			t.Run(d.path+"/"+command, func(t *testing.T) {
				runDocumented(t, command, ours)
			})
		}
	}
	if n < 8 {
		t.Errorf("only %d commands were found", n)
	}
}

// exampleSession is what the documents' example of a session leaves. Here it holds a
// host of its own: whoever else measures on this one is no matter for documents.
const (
	exampleSession = "results/ab.session"
	ownLock        = ` --lock "$PWD/lock" --lock-socket "$PWD"`
)

// judgements are the exit codes that say something of the numbers or of the host, not
// of the command.
var judgements = []int{0, exitBroken, exitNoVerdict, exitInvalid, exitRefused}

// exampleServers stand in for those of the documents.
type exampleServers struct {
	clear, secure string
	certificates  *certs.Set
}

// Where the documents' servers are, and where their certificates.
var (
	exampleURL       = regexp.MustCompile(`http://127\.0\.0\.1:808[01]/\S*`)
	exampleSecureURL = regexp.MustCompile(`https://127\.0\.0\.1:8443/\S*`)
	exampleDir       = "certs"
)

// secureTarget starts the embedded server with TLS, HTTP/3 included.
func secureTarget(t *testing.T) (*certs.Set, string) {
	t.Helper()
	set, err := certs.Make(certs.Request{}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := set.Write(dir); err != nil {
		t.Fatal(err)
	}
	server := startTarget(t, "--cert", filepath.Join(dir, certs.CertFile), "--key", filepath.Join(dir, certs.KeyFile), "--http3")
	return set, server.URL
}

func runDocumented(t *testing.T, command string, ours exampleServers) {
	dir := t.TempDir()
	line := exampleURL.ReplaceAllString(command, ours.clear+"/respond")
	line = exampleSecureURL.ReplaceAllString(line, ours.secure+"/respond")
	if strings.Contains(line, " "+exampleDir+"/") { // made by an earlier command
		to := filepath.Join(dir, exampleDir)
		if err := errors.Join(os.Mkdir(to, 0o755), ours.certificates.Write(to)); err != nil {
			t.Fatal(err)
		}
	}
	switch words := strings.Fields(line); {
	case words[0] == "make" && len(words) == 2:
		if _, err := exec.LookPath("make"); err != nil {
			t.Skip("make is not installed: apt-get install make")
		}
		line, dir = "make -n "+words[1], "../.."
	case words[0] != "scalbench":
		t.Fatalf("%q is neither make with a target nor scalbench", command)
	case words[1] == "ab" && strings.Contains(line, "./old"): // programs that nobody has
		line += " --help"
	case words[1] == "ab":
		line += " --max 1s --warmup 0s --quiet"
	case words[1] == "compare" && strings.Contains(line, ".json"):
		load := "scalbench load --no-save --quiet -n 10 " + ours.clear + "/respond -o "
		line = load + "before.json && " + load + "after.json && " + line
	case words[1] == "compare": // of results that nobody has
		line += " --help"
	case strings.Contains(line, "--help") || words[1] == "scenarios" || words[1] == "cert":
	case words[1] == "run":
		line += ownLock
	case words[1] == "sweep" || words[1] == "calibrate": // of which scripts of the command see everything
		line += " --dry-run"
	case words[1] == "gate" || words[1] == "doctor":
		if strings.Contains(line, " "+exampleSession) { // of the run above it
			line = fmt.Sprintf("scalbench run target-ab --preset smoke --name ab --quiet%s >run.txt; %s", ownLock, line)
		}
	case words[1] == "target":
		line += " --help"
	case words[1] == "probe":
		line += " -z 300ms --quiet"
	case strings.Contains(line, "--find-max-rps"): // a search of some thirty steps
		line += " -z 20ms --warmup 0s --quiet"
	default: // of a flag that is given twice, the last one counts
		if !strings.Contains(line, " -n ") {
			line += " -z 300ms"
		}
		line += " --warmup 0s --quiet"
	}
	shell := exec.Command("sh", "-c", line)
	shell.Dir = dir
	text, err := shell.CombinedOutput()
	if code := exitCode(t, err); !slices.Contains(judgements, code) {
		t.Errorf("%s: exit code %d\n%s", line, code, text)
	}
}
