package arch

import (
	"strings"
	"testing"
)

// source is a made-up file.
type source struct{ path, text string }

// lines is a function that is n lines long.
func lines(n int) string { return "func long() {\n" + strings.Repeat("\tlong()\n", n-2) + "}\n" }

// imports is a file that imports one package.
func imports(path, importPath string) source {
	name := path[:strings.LastIndex(path, "/")]
	return source{path, "package " + name[strings.LastIndex(name, "/")+1:] + "\n\nimport \"" + importPath + "\"\n"}
}

const own = modulePath + "/"

// Every rule finds what it is for, and nothing in what is right.
func TestRules(t *testing.T) {
	tests := []struct {
		rule  string
		files []source
		fault string // part of the only fault; "": none
	}{
		{"imports run down", []source{imports("cmd/x/x.go", own+"driver")}, ""},
		{"imports run down", []source{imports("cmd/x/x.go", own+"internal/units")}, ""},
		{"imports run down", []source{imports("driver/x.go", own+"loadgen")}, ""},
		{"imports run down", []source{imports("gate/x.go", own+"internal/record")}, ""},
		{"imports run down", []source{imports("loadgen/x.go", own+"loadgen/internal/h1")}, ""},
		{"imports run down", []source{imports("loadgen/internal/h1/x.go", own+"internal/mono")}, ""},
		{"imports run down", []source{imports("internal/procfs/x.go", own+"internal/cpuset")}, ""},
		{"imports run down", []source{imports("loadgen/x_test.go", own+"internal/resulttest")}, ""},
		{"imports run down", []source{imports("loadgen/x.go", "golang.org/x/sys/unix")}, ""},
		{"imports run down", []source{imports("loadgen/x.go", own+"driver")}, "loadgen imports driver, which is not below it"},
		{"imports run down", []source{imports("loadgen/internal/h1/x.go", own+"internal/suite")}, "loadgen imports internal/suite, which is not below"},
		{"imports run down", []source{imports("internal/units/x.go", own+"loadgen")}, "x.go:3: internal imports loadgen, which is not below"},
		{"imports run down", []source{imports("internal/record/x.go", own+"internal/suite")}, "internal/record imports internal/suite"},
		{"imports run down", []source{imports("driver/x.go", own+"internal/report")}, "driver imports internal/report"},
		{"imports run down", []source{imports("driver/x.go", own+"gate")}, "driver imports gate"},
		{"imports run down", []source{imports("gate/x.go", own+"driver")}, "from records alone"},
		{"imports run down", []source{imports("gate/x_test.go", own+"driver")}, "from records alone"},
		{"imports run down", []source{imports("gate/x.go", own+"loadgen")}, "from records alone"},
		{"imports run down", []source{imports("gate/x.go", own+"internal/suite")}, "meet only in internal/record"},
		{"imports run down", []source{imports("driver/x.go", own+"ab")}, ""},
		{"imports run down", []source{imports("ab/x.go", own+"internal/stat")}, ""},
		{"imports run down", []source{imports("ab/x.go", own+"loadgen")}, "ab imports loadgen, which is not below it"},
		{"imports run down", []source{imports("bench/x_test.go", own+"cmd/scalbench")}, "nobody imports cmd"},
		{"imports run down", []source{imports("tools/x.go", "fmt"), imports("tools/y.go", "fmt")}, "tools: the directory is in no room"},
		{"imports run down", []source{imports("gateway/x.go", "fmt")}, "gateway: the directory is in no room"},

		{"test support stays in tests", []source{imports("loadgen/x_test.go", own+"internal/resulttest")}, ""},
		{"test support stays in tests", []source{imports("cmd/x/x.go", own+"internal/resulttest")}, "internal/resulttest is for tests only"},

		{"outside packages", []source{imports("loadgen/internal/h1/x.go", "syscall")}, ""},
		{"outside packages", []source{imports("loadgen/internal/h1/x_test.go", "os")}, ""},
		{"outside packages", []source{imports("loadgen/internal/netloop/x.go", "golang.org/x/sys/unix")}, ""},
		{"outside packages", []source{imports("loadgen/internal/h1/x.go", "net/netip")}, "a codec does no I/O"},
		{"outside packages", []source{imports("loadgen/internal/h2/x.go", own+"loadgen/internal/netloop")}, "a codec does no I/O"},
		{"outside packages", []source{imports("gate/x.go", "os/exec")}, "gate is pure"},
		{"outside packages", []source{imports("ab/x.go", "os")}, "judges what others have measured"},
		{"outside packages", []source{imports("loadgen/x.go", "golang.org/x/net/http2/hpack")}, ""},
		{"outside packages", []source{imports("loadgen/x.go", "golang.org/x/net/http2/h2c")}, "h2c is deprecated"},
		{"outside packages", []source{{"a/x.go", "package a\n\nimport \"golang.org/x/net/http2\"\n\nvar f http2.Framer\n"}}, ""},
		{"outside packages", []source{{"a/x.go", "package a\n\nimport \"golang.org/x/net/http2\"\n\nvar t http2.Transport\n"}}, "x.go:5: http2.Transport is deprecated"},
		{"outside packages", []source{{"a/x_test.go", "package a\n\nimport h \"golang.org/x/net/http2\"\n\nvar s = &h.Server{}\n"}}, "h.Server is deprecated"},
		{"outside packages", []source{{"a/x.go", "package a\n\nimport . \"golang.org/x/net/http2\"\n"}}, "imported with a dot"},

		{"package names", []source{{"internal/units/x.go", "package units"}}, ""},
		{"package names", []source{{"internal/util/x.go", "package util"}}, `"util" does not say`},
		{"package names", []source{{"loadgen/helpers/text/x.go", "package text"}}, `"helpers" does not say`},

		{"package comments", []source{{"a/doc.go", "// Package a is one.\npackage a"}, {"a/x.go", "package a"}}, ""},
		{"package comments", []source{{"a/a.go", "// Package a is one.\npackage a"}, {"a/x.go", "package a"}}, ""},
		{"package comments", []source{{"cmd/x/main.go", "// X does it.\npackage main"}}, ""},
		{"package comments", []source{{"cmd/x/doc.go", "// X does it.\npackage main"}, {"cmd/x/main.go", "package main"}}, ""},
		{"package comments", []source{{"a/a.go", "package a"}, {"a/a_test.go", "// Package a is one.\npackage a"}}, "a: no package comment"},
		{"package comments", []source{{"a/a.go", "// Copyright somebody.\n\npackage a"}}, "a: no package comment"},
		{"package comments", []source{{"a/a.go", "// Package b is one.\npackage a"}}, "a: no package comment"},
		{"package comments", []source{{"a/x.go", "// Package a is one.\npackage a"}}, "is in x.go, want it in a.go"},
		{"package comments", []source{{"a/a.go", "// Package a is one.\npackage a"}, {"a/doc.go", "package a"}}, "is in a.go, want it in doc.go"},
		{"package comments", []source{{"a/a.go", "// Package a is one.\npackage a"}, {"a/doc.go", "// Package a is two.\npackage a"}}, "comments in a.go and doc.go"},

		{"no init", []source{{"a/x.go", "package a\n\ntype t int\n\nfunc (t) init() {}\n"}}, ""},
		{"no init", []source{{"a/x.go", "package a\n\nfunc init() {}\n"}}, "x.go:3: func init"},
		{"no init", []source{{"a/x_test.go", "package a\n\nfunc init() {}\n"}}, "func init"},

		{"file size", []source{{"a/x.go", "package a\n" + strings.Repeat("\n", 20<<10-10)}}, ""}, // "package a\n" is 10 bytes: exactly the limit
		{"file size", []source{{"a/x.go", "package a\n" + strings.Repeat("\n", 20<<10-9)}}, "20481 bytes, at most 20480"},
		{"file size", []source{{"a/x_test.go", "package a\n" + strings.Repeat("\n", 20<<10)}}, ""},
		{"file size", []source{{"a/x.go", "// Code generated by x. DO NOT EDIT.\n\npackage a\n" + strings.Repeat("\n", 20<<10)}}, ""},

		{"function length", []source{{"a/x.go", "package a\n\n" + lines(70)}}, ""},
		{"function length", []source{{"a/x.go", "package a\n\n" + lines(71)}}, "x.go:3: func long has 71 lines, at most 70"},
		{"function length", []source{{"a/x_test.go", "package a\n\n" + lines(71)}}, ""},
		{"function length", []source{{"a/x.go", "// Code generated by x. DO NOT EDIT.\n\npackage a\n\n" + lines(71)}}, ""},

		{"gofmt", []source{{"a/x.go", "package a\n\nvar x = 1\n"}}, ""},
		{"gofmt", []source{{"a/x.go", "package a\n\nvar x  = 1\n"}}, "a/x.go: not formatted"},
		{"gofmt", []source{{"a/x_test.go", "package a\nvar x = 1"}}, "not formatted"},
	}
	failed := map[string]bool{}
	for _, test := range tests {
		t.Run(test.rule+"/"+test.files[0].path, func(t *testing.T) {
			faults := ruleCalled(t, test.rule).find(parse(t, test.files))
			switch {
			case test.fault == "" && len(faults) > 0:
				t.Errorf("%q, want none", faults)
			case test.fault != "" && (len(faults) != 1 || !strings.Contains(faults[0], test.fault)):
				t.Errorf("%q, want only %q", faults, test.fault)
			}
		})
		failed[test.rule] = failed[test.rule] || test.fault != ""
	}
	for _, r := range rules() {
		if !failed[r.name] {
			t.Errorf("rule %q: no test in which it fails", r.name)
		}
	}
}

func ruleCalled(t *testing.T, name string) rule {
	t.Helper()
	for _, r := range rules() {
		if r.name == name {
			return r
		}
	}
	t.Fatalf("no rule %q", name)
	return rule{}
}

func parse(t *testing.T, sources []source) []File {
	t.Helper()
	var files []File
	for _, s := range sources {
		f, err := Parse(s.path, []byte(s.text))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// Check leaves out no rule: one file that breaks two has two faults.
func TestCheck(t *testing.T) {
	faults := Check(parse(t, []source{{"loadgen/doc.go", "// Package loadgen is it.\npackage loadgen\n\nfunc init()  {}\n"}}))
	if len(faults) != 2 || !strings.Contains(faults[0], "func init") || !strings.Contains(faults[1], "not formatted") {
		t.Errorf("%q", faults)
	}
}
