package integration

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	codeSpan  = regexp.MustCompile("`([^`\n]+)`")
	codeBlock = regexp.MustCompile("(?ms)^```.*?^```$")
)

// spans are the inline pieces of code in a document.
func (d document) spans() (spans []string) {
	for _, match := range codeSpan.FindAllStringSubmatch(codeBlock.ReplaceAllString(d.text, ""), -1) {
		spans = append(spans, match[1])
	}
	return spans
}

var flag = regexp.MustCompile(`^--?[a-zA-Z][-a-zA-Z0-9]*$`)

// Every flag that the documents name is one of a command's, or one that load refuses
// by name.
func TestDocumentedFlags(t *testing.T) {
	scalbench := program(t)
	var flags []string
	for _, d := range documents(t) {
		for _, span := range d.spans() {
			words := strings.Fields(span)
			if words[0] != "scalbench" && words[0][0] != '-' {
				continue // of another program
			}
			for _, word := range words {
				if flag.MatchString(word) && !slices.Contains(flags, word) {
					flags = append(flags, word)
				}
			}
		}
	}
	if len(flags) < 30 {
		t.Errorf("only %d flags were found: %q", len(flags), flags)
	}
	for _, f := range flags {
		known := false
		for _, command := range []string{"load", "probe", "merge", "run", "gate", "calibrate", "ab"} {
			text, _ := exec.Command(scalbench, command, f).CombinedOutput() // what is wrong with it is in the text
			known = known || !strings.Contains(string(text), "unknown flag")
		}
		if !known {
			t.Errorf("%s: no command knows it", f)
		}
	}
}

// sourcePath is a directory or a file of this repository: a path ends with a
// slash or has an extension.
var sourcePath = regexp.MustCompile(`^(\w[\w.-]*/)+(\w+\.\w+)?$`)

// Every file and directory that the documents name exists.
func TestDocumentedFiles(t *testing.T) {
	n := 0
	for _, d := range documents(t) {
		for _, span := range d.spans() {
			if !sourcePath.MatchString(span) {
				continue
			}
			n++
			if _, err := os.Stat("../../" + span); err != nil {
				t.Errorf("%s: `%s`: %v", d.path, span, err)
			}
		}
	}
	if n < 40 {
		t.Errorf("only %d paths were found", n)
	}
}

var (
	named      = regexp.MustCompile("`([a-z0-9_/]+\\.go)`: ((?:`\\w+`(?:, )?)+)")
	identifier = regexp.MustCompile("`(\\w+)`")
)

// Every function that the documents name beside a file is declared in it.
func TestDocumentedFunctions(t *testing.T) {
	n := 0
	for _, d := range documents(t) {
		for _, match := range named.FindAllStringSubmatch(d.text, -1) {
			declared := declarations(t, match[1])
			for _, name := range identifier.FindAllStringSubmatch(match[2], -1) {
				n++
				if !slices.Contains(declared, name[1]) {
					t.Errorf("%s: %s is not declared in %s", d.path, name[1], match[1])
				}
			}
		}
	}
	if n < 50 {
		t.Errorf("only %d functions were found", n)
	}
}

func parseFile(t *testing.T, file string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "../../"+file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func declarations(t *testing.T, file string) (names []string) {
	for _, d := range parseFile(t, file).Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			names = append(names, f.Name.Name)
		}
	}
	return names
}

var link = regexp.MustCompile(`\]\(([^)#:]*)(#[^)]*)?\)`)

// Every link inside the repository leads somewhere.
func TestDocumentedLinks(t *testing.T) {
	for _, d := range documents(t) {
		for _, match := range link.FindAllStringSubmatch(d.text, -1) {
			file, anchor := path.Join(path.Dir(d.path), match[1]), match[2]
			text, err := os.ReadFile("../../" + file)
			if err != nil {
				t.Errorf("%s: %v", d.path, err)
			}
			if anchor != "" && !slices.Contains(anchors(string(text)), anchor) {
				t.Errorf("%s: %s has no heading for %s", d.path, file, anchor)
			}
		}
	}
}

// anchors are the fragments by which the headings of a document are reached.
func anchors(text string) (all []string) {
	for line := range strings.Lines(text) {
		heading := strings.TrimLeft(line, "#")
		if heading == line {
			continue
		}
		fragment := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z':
				return r
			}
			return -1
		}, strings.ToLower(strings.TrimSpace(heading)))
		all = append(all, "#"+fragment)
	}
	return all
}

// What a program can say is documented, all of it: warnings, outcomes, exit
// codes.
func TestEverythingIsDocumented(t *testing.T) {
	for _, c := range []struct{ file, declared, document, before, after string }{
		{"loadgen/warning.go", "WarningCode", "docs/METHOD.md", "`", "`"},
		{"loadgen/internal/exchange/exchange.go", "outcomeNames", "docs/METHOD.md", "`", "`"},
		{"cmd/scalbench/exit.go", "exit", "README.md", "| ", " |"},
	} {
		values := literals(parseFile(t, c.file), c.declared)
		if len(values) < 5 {
			t.Errorf("%s: only %q found of %s", c.file, values, c.declared)
		}
		text, err := os.ReadFile("../../" + c.document)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range values {
			if v != "pending" && !strings.Contains(string(text), c.before+v+c.after) {
				t.Errorf("%s does not say what %s of %s is", c.document, v, c.file)
			}
		}
	}
}

// literals returns the values of the constants and variables whose name begins
// with a word, or whose type is called so.
func literals(f *ast.File, declared string) (values []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		typed, _ := spec.Type.(*ast.Ident)
		if !strings.HasPrefix(spec.Names[0].Name, declared) && (typed == nil || typed.Name != declared) {
			return false
		}
		for _, value := range spec.Values {
			ast.Inspect(value, func(n ast.Node) bool {
				if literal, ok := n.(*ast.BasicLit); ok {
					values = append(values, strings.Trim(literal.Value, `"`))
				}
				return true
			})
		}
		return false
	})
	return values
}
