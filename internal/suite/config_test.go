package suite

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const serverYAML = `# A server.
server:
  listen: 127.0.0.1:8080 # everywhere
  tls:
    min: "1.2"
    ciphers: [a, b, c]
  hosts:
    - name: one
      root: /www
    - name: two # the second
      root: /two
cache: {size: 1m, on: off}
empty:
text: |
  first
  second
last: 010
`

func drop(path string) Edit       { return Edit{Kind: Drop, Path: path} }
func set(path, value string) Edit { return Edit{Kind: Set, Path: path, Value: value} }

// Each edit changes what it is about and no other byte.
func TestEffective(t *testing.T) {
	for _, test := range []struct {
		edit     Edit
		old, new string // one place of serverYAML
	}{
		{drop("server.listen"), "  listen: 127.0.0.1:8080 # everywhere\n", ""},
		{drop("server.tls"), "  tls:\n    min: \"1.2\"\n    ciphers: [a, b, c]\n", ""},
		{drop("server.tls.ciphers[0]"), "[a, b, c]", "[b, c]"},
		{drop("server.tls.ciphers[1]"), "[a, b, c]", "[a, c]"},
		{drop("server.tls.ciphers[2]"), "[a, b, c]", "[a, b]"},
		{drop("server.hosts[0]"), "    - name: one\n      root: /www\n", ""},
		{drop("server.hosts[1]"), "    - name: two # the second\n      root: /two\n", ""},
		{drop("server.hosts[0].name"), "- name: one\n      root: /www", "- root: /www"},
		{drop("server.hosts[0].root"), "      root: /www\n", ""},
		{drop("cache.size"), "{size: 1m, on: off}", "{on: off}"},
		{drop("cache.on"), "{size: 1m, on: off}", "{size: 1m}"},
		{drop("empty"), "empty:\n", ""},
		{drop("text"), "text: |\n  first\n  second\n", ""},
		{drop("last"), "last: 010\n", ""},
		{set("server.listen", "0.0.0.0:80"), "127.0.0.1:8080 #", "0.0.0.0:80 #"},
		{set("$.server.tls.min", `"1.3"`), `"1.2"`, `"1.3"`},
		{set(`server."tls".ciphers`, "[d]"), "[a, b, c]", "[d]"},
		{set("server.tls.ciphers[1]", `"x, y"`), "[a, b, c]", `[a, "x, y", c]`},
		{set("server.tls", "null"), " tls:\n    min: \"1.2\"\n    ciphers: [a, b, c]\n", " tls: null\n"},
		{set("server.hosts", "[]"), "hosts:\n    - name: one\n      root: /www\n    - name: two # the second\n      root: /two\n", "hosts: []\n"},
		{set("server.hosts[0]", "{name: x}"), "- name: one\n      root: /www\n", "- {name: x}\n"},
		{set("server.hosts[1].name", "deux"), "two #", "deux #"},
		{set("cache.on", "on"), "on: off", "on: on"},
		{set("empty", "1"), "empty:\n", "empty: 1\n"},
		{set("text", `"a\nb"`), "|\n  first\n  second\n", "\"a\\nb\"\n"},
		{set("last", "011"), "010", "011"},
	} {
		name := fmt.Sprint(test.edit.Kind, " ", test.edit.Path)
		t.Run(name, func(t *testing.T) {
			if strings.Count(serverYAML, test.old) != 1 {
				t.Fatalf("%q is not there once", test.old)
			}
			got, err := Config{From: "c.yaml", Edits: []Edit{test.edit}}.Effective([]byte(serverYAML))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Replace(serverYAML, test.old, test.new, 1), string(got)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// Layouts that differ from the one above.
func TestEffectiveLayouts(t *testing.T) {
	for _, test := range []struct {
		name, source string
		edits        []Edit
		want         string
	}{
		{"no edits", "{not yaml", nil, "{not yaml"},
		{"several, in turn", "a: 1\nb: 2\nc: 3\n", []Edit{drop("a"), set("b", "x"), set("b", "y")}, "b: y\nc: 3\n"},
		{"the only key", "a:\n  b: 1\nc: 2\n", []Edit{drop("a.b")}, "a: {}\nc: 2\n"},
		{"the only entry", "a:\n- 1\nc: 2\n", []Edit{drop("a[0]")}, "a: []\nc: 2\n"},
		{"the only key of the file", "a: 1\n", []Edit{drop("a")}, "{}\n"},
		{"the only key of an entry", "- a: 1\n- b: 2\n", []Edit{{Kind: Drop, Path: "[0].a"}}, "- {}\n- b: 2\n"},
		{"list at its key's column", "a:\n- 1\n- 2\nb: 3\n", []Edit{set("a", "x")}, "a: x\nb: 3\n"},
		{"no line feed at the end", "a: 1\nb: 2", []Edit{set("b", "3")}, "a: 1\nb: 3"},
		{"last without a line feed", "a: 1\nb: 2", []Edit{drop("b")}, "a: 1\n"},
		{"carriage returns", "a: 1\r\nb:\r\n  c: 2\r\n  d: 3\r\n", []Edit{set("b.c", "4"), drop("b.d")}, "a: 1\r\nb:\r\n  c: 4\r\n"},
		{"wide characters", "ä: {ö: \"ü\", b: 1}\n", []Edit{set("ä.b", "2"), set("ä.ö", `"ß"`)}, "ä: {ö: \"ß\", b: 2}\n"},
		{"document header", "---\na: 1\nb: 2\n", []Edit{drop("a")}, "---\nb: 2\n"},
		{"anchors elsewhere", "x: &x {a: 1}\ny: *x\nb: 2\n", []Edit{set("b", "3")}, "x: &x {a: 1}\ny: *x\nb: 3\n"},
		{"nothing as the last value", "a:\n  b:\nc: 1\n", []Edit{set("a", "x")}, "a: x\nc: 1\n"},
		{"nothing as the last value, dropped", "a:\n  b:\nc: 1\n", []Edit{drop("a")}, "c: 1\n"},
		{"nothing as the last entry", "a:\n  - 1\n  -\nc: 1\n", []Edit{set("a[1]", "x")}, "a:\n  - 1\n  - x\nc: 1\n"},
		{"nothing as the last entry, replaced", "a:\n  - 1\n  -\nc: 1\n", []Edit{set("a", "x")}, "a: x\nc: 1\n"},
		{"nothing at the end", "a: 1\nb:\n  c:\n", []Edit{set("b.c", "x"), set("b", "y")}, "a: 1\nb: y\n"},
		{"nothing in braces", "{a, b: , c: 1}\n", []Edit{set("b", "x")}, "{a, b: x , c: 1}\n"},
		{"null in words", "a: ~\nb: null\n", []Edit{set("a", "x"), set("b", "y")}, "a: x\nb: y\n"},
		{"comments stay", "a: 1 # one\n# between\nb: # two\n  - x # three\n  # end\nc: 3\n", []Edit{set("a", "2"), set("b[0]", "y")},
			"a: 2 # one\n# between\nb: # two\n  - y # three\n  # end\nc: 3\n"},
		{"comments go with what they are in", "# top\na: 1 # one\nb: # two\n  - x # three\nc: 3\n", []Edit{drop("a"), set("b", "y")},
			"# top\nb: y # three\nc: 3\n"},
		{"quotes with escapes", "a: \"x\\\"y # \\u00e9\" # c\nb: 'it''s'\n", []Edit{set("a", "1"), set("b", "2")}, "a: 1 # c\nb: 2\n"},
		{"text over lines", "a: one\n  two\nb: \"three\n  four\"\nc: 1\n", []Edit{set("a", "1"), set("b", "2")}, "a: 1\nb: 2\nc: 1\n"},
		{"lists in lists", "- - a\n  - b\n- c\n", []Edit{drop("[0][0]"), set("[0][0]", "d")}, "- - d\n- c\n"},
		{"tag and anchor", "a: !t x\nb: &b y\nc: 1\n", []Edit{set("a", "1"), set("b", "2")}, "a: 1\nb: 2\nc: 1\n"},
		{"JSON", "{\n  \"a\": {\"b\": 1, \"c\": [true]},\n  \"d\": \"x\"\n}\n",
			[]Edit{set("a.b", "off"), set("d", "{e: 1.5, f: null}"), drop("a.c")},
			"{\n  \"a\": {\"b\": \"off\"},\n  \"d\": {\"e\": 1.5, \"f\": null}\n}\n"},
		{"text", "worker_processes 1;\nlisten PORT;\n",
			[]Edit{{Kind: Replace, Path: "listen PORT", Value: "listen 1;\nworker_processes 1"}, {Kind: Replace, Path: "worker_processes 1", Value: ""}},
			";\nlisten 1;\nworker_processes 1;\n"}, // found in the source alone
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := Config{From: "c", Edits: test.edits}.Effective([]byte(test.source))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// An edit that cannot be made is told at its place, and all of them are.
func TestEffectiveFaults(t *testing.T) {
	at := func(line int, e Edit) Edit { e.At = Position{File: "s.yaml", Line: line, Column: 7}; return e }
	for _, test := range []struct {
		name, source string
		edits        []Edit
		want         string
	}{
		{"nothing there", serverYAML,
			[]Edit{at(9, set("server.lisen", "1")), at(2, drop("server.hosts[2]")), at(3, drop("server[0]")), at(4, drop("server.hosts.name")),
				at(5, set("cache.size.max", "1")), at(6, set("empty.x", "1")), at(7, drop("zzz"))},
			`s.yaml:2:7: drop: c.yaml: no entry [2], but 2 entries, in hosts
s.yaml:3:7: drop: c.yaml: no [0], but a mapping, in server
s.yaml:4:7: drop: c.yaml: no key "name", but a list such as [0], in hosts
s.yaml:5:7: set: c.yaml: no max, but a value, in size
s.yaml:6:7: set: c.yaml: no x, but nothing, in empty
s.yaml:7:7: drop: c.yaml: no key "zzz" in the file
s.yaml:9:7: set: c.yaml: no key "lisen", but "listen", in server`},
		{"alias", "a: &a {b: 1}\nc: *a\n", []Edit{at(1, set("c.b", "2")), at(2, set("a.b", "2"))},
			`s.yaml:1:7: set: c.yaml: a YAML alias stands instead of b, edit what it stands for, in c
s.yaml:2:7: set: c.yaml: the file is written in a way that an edit by path would break, such as by an alias; use replace`},
		{"no YAML", "a: [\n", []Edit{at(1, drop("a"))},
			"s.yaml:1:7: drop: c.yaml: line 1: no YAML: sequence end token ']' not found; a file that is no YAML is edited by replace"},
		{"text", "aa a aaa", []Edit{
			at(1, Edit{Kind: Replace, Path: "b", Value: "x"}), at(2, Edit{Kind: Replace, Path: " a", Value: "x"}),
			at(3, Edit{Kind: Replace, Path: "a a a", Value: "x"}), at(4, Edit{Kind: Replace, Path: "aa a", Value: "y"})},
			`s.yaml:1:7: replace: c.yaml: "b" is not there
s.yaml:2:7: replace: c.yaml: " a" is there more than once, expected a longer text that is there once
s.yaml:3:7: replace: c.yaml: "a a a" is part of what another edit replaces`},
		{"too long", strings.Repeat("#\n", maxFileBytes), []Edit{at(1, drop("a"))},
			"s.yaml:1:7: drop: c.yaml: the file has 131072 bytes, expected at most 65536; use replace"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text, err := Config{From: "c.yaml", Edits: test.edits}.Effective([]byte(test.source))
			if err == nil || text != nil {
				t.Fatalf("text %q, error %v", text, err)
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			var faults Faults
			if !errors.As(err, &faults) {
				t.Errorf("error of type %T, want Faults", err)
			}
		})
	}
}

func TestParsePath(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"a", "[{a 0 false}]"},
		{"$.a.b", "[{a 0 false} {b 0 false}]"},
		{"a[0][12].b", "[{a 0 false} { 0 true} { 12 true} {b 0 false}]"},
		{"[3]", "[{ 3 true}]"},
		{`a."b.c"`, "[{a 0 false} {b.c 0 false}]"},
		{`'x y'.z`, "[{x y 0 false} {z 0 false}]"},
		{"größe", "[{größe 0 false}]"},
	} {
		if steps, err := parsePath(test.text); err != nil || plain(steps) != test.want {
			t.Errorf("%q: %v, %v; want %s", test.text, plain(steps), err, test.want)
		}
	}
	for _, text := range []string{"", "$", "$.", ".a", "a.", "a..b", "a[", "a[x]", "a[-1]", "a[01]", "a[0]b", "a b", `a."b`, "a[*]", "a.*", "ab\"c\""} {
		if steps, err := parsePath(text); err == nil {
			t.Errorf("%q: %v, want an error", text, plain(steps))
		}
	}
}

// plain writes steps without their method.
func plain(steps []step) string {
	type fields step
	var all []fields
	for _, s := range steps {
		all = append(all, fields(s))
	}
	return fmt.Sprint(all)
}
