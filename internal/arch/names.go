package arch

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"slices"
	"strings"
)

// emptyNames say nothing about what a package is for, so that anything fits
// into it.
var emptyNames = []string{"util", "utils", "common", "helper", "helpers", "manager", "managers", "handler", "handlers", "misc", "pkg"}

// packageNames looks at every part of a directory's name: internal/util/text is
// no better than internal/util.
func packageNames(files []File) (faults []string) {
	for _, dir := range slices.Sorted(maps.Keys(packages(files))) {
		for part := range strings.SplitSeq(dir, "/") {
			if slices.Contains(emptyNames, part) {
				faults = append(faults, fmt.Sprintf("%s: %q does not say what the package is for", dir, part))
			}
		}
	}
	return faults
}

// packages groups the files by directory.
func packages(files []File) map[string][]File {
	byDir := map[string][]File{}
	for _, f := range files {
		byDir[f.Dir()] = append(byDir[f.Dir()], f)
	}
	return byDir
}

// packageComments wants one package comment in each package, where a reader
// looks for it: in doc.go, or, where there is none, in the file that is called
// like the package; main.go for a command.
func packageComments(files []File) (faults []string) {
	byDir := packages(files)
	for _, dir := range slices.Sorted(maps.Keys(byDir)) {
		var have []string
		home := path.Base(dir) + ".go"
		for _, f := range byDir[dir] {
			base := path.Base(f.Path)
			switch {
			case f.IsTest():
				continue
			case base == "doc.go":
				home = base
			case home != "doc.go" && f.Syntax.Name.Name == "main":
				home = "main.go"
			}
			if isPackageComment(f.Syntax) {
				have = append(have, base)
			}
		}
		switch {
		case len(have) == 0:
			faults = append(faults, fmt.Sprintf("%s: no package comment", dir))
		case len(have) > 1:
			faults = append(faults, fmt.Sprintf("%s: package comments in %s, want one", dir, strings.Join(have, " and ")))
		case have[0] != home:
			faults = append(faults, fmt.Sprintf("%s: the package comment is in %s, want it in %s", dir, have[0], home))
		}
	}
	return faults
}

// isPackageComment reports whether the comment above the package clause is one:
// it begins "Package name" for a library and with the command's name, whatever
// that is, for a program.
func isPackageComment(f *ast.File) bool {
	if f.Doc == nil {
		return false
	}
	text := f.Doc.Text()
	return f.Name.Name == "main" && text != "" || strings.HasPrefix(text, "Package "+f.Name.Name+" ")
}

// noInit refuses functions that run before main, in an order nobody sees.
func noInit(files []File) (faults []string) {
	for _, f := range files {
		for _, d := range f.Syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				faults = append(faults, f.faultf(fn, "func init: call it by name from where it is needed"))
			}
		}
	}
	return faults
}
