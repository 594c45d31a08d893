package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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
	server := startTarget(t)
	n := 0
	for _, d := range documents(t) {
		for _, command := range d.commands() {
			n++
			t.Run(d.path+"/"+command, func(t *testing.T) {
				runDocumented(t, command, server.URL+"/respond")
			})
		}
	}
	if n < 8 {
		t.Errorf("only %d commands were found", n)
	}
}

// exampleURL is where the documents' server is.
var exampleURL = regexp.MustCompile(`http://127\.0\.0\.1:8080/\S*`)

func runDocumented(t *testing.T, command, url string) {
	dir := t.TempDir()
	line := exampleURL.ReplaceAllString(command, url)
	switch words := strings.Fields(line); {
	case words[0] == "make" && len(words) == 2:
		if _, err := exec.LookPath("make"); err != nil {
			t.Skip("make is not installed: apt-get install make")
		}
		line, dir = "make -n "+words[1], "../.."
	case words[0] != "scalbench":
		t.Fatalf("%q is neither make with a target nor scalbench", command)
	case strings.Contains(line, "--help") || words[1] == "scenarios":
	default: // of a flag that is given twice, the last one counts
		if !strings.Contains(line, " -n ") {
			line += " -z 300ms"
		}
		line += " --warmup 0s --quiet"
	}
	shell := exec.Command("sh", "-c", line)
	shell.Dir = dir
	text, err := shell.CombinedOutput()
	if code := exitCode(t, err); code != 0 && code != exitInvalid {
		t.Errorf("%s: exit code %d\n%s", line, code, text)
	}
}
