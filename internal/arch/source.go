package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// modulePath is what import paths of this module begin with.
const modulePath = "github.com/scalws/scalbench"

// File is one Go source file.
type File struct {
	Path   string // from the module's root, with slashes: "loadgen/run.go"
	Text   []byte
	Syntax *ast.File // with comments
	lines  *token.FileSet
}

// Parse makes a File of a path and its text.
func Parse(filePath string, text []byte) (File, error) {
	f := File{Path: filePath, Text: text, lines: token.NewFileSet()}
	var err error
	f.Syntax, err = parser.ParseFile(f.lines, filePath, text, parser.ParseComments|parser.SkipObjectResolution)
	return f, err
}

// Dir is the package's directory from the module's root.
func (f File) Dir() string { return path.Dir(f.Path) }

// IsTest reports whether the file is only compiled for tests.
func (f File) IsTest() bool { return strings.HasSuffix(f.Path, "_test.go") }

// line is where a node begins.
func (f File) line(n ast.Node) int { return f.lines.Position(n.Pos()).Line }

// faultf is a fault at a node of the file.
func (f File) faultf(at ast.Node, format string, args ...any) string {
	return fmt.Sprintf("%s:%d: %s", f.Path, f.line(at), fmt.Sprintf(format, args...))
}

// importPath is the path of an import declaration.
func importPath(spec *ast.ImportSpec) string {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value // the parser has refused it already
	}
	return p
}

// inModule returns an import's directory from the module's root; false for the
// packages of others.
func inModule(importPath string) (dir string, ok bool) {
	return strings.CutPrefix(importPath, modulePath+"/")
}

// ReadModule parses the Go files under the module's root. As for the go
// command, directories called testdata or beginning with a dot or an
// underscore are no part of it.
func ReadModule(root string) ([]File, error) {
	var files []File
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() {
			if name != root && (base == "testdata" || base[0] == '.' || base[0] == '_') {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") || base[0] == '.' || base[0] == '_' {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		f, err := Parse(filepath.ToSlash(relative), text)
		files = append(files, f)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read module: %w", err)
	}
	return files, nil
}
