package suite

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

var helperKeys = keyTable{
	what:  "a helper",
	known: []string{"name", "command", "cpus", "ports", "ready", "env", "user", "log", "programs", "install"},
	must:  []string{"name", "command"},
	hints: map[string]string{"url": "a helper says its URL itself, in its first line; another program's is that of ready"},
}

// helpers reads a list of processes, and tells those that cannot be told apart.
func (r *reader) helpers(f field) []Helper {
	entries, _ := r.list(f, "a list of helpers such as [{name: upstream, command: [scalbench, target]}]")
	lineOf := make(map[string]int, len(entries))
	var helpers []Helper
	for _, entry := range entries {
		helper, nameAt := r.helper(entry)
		if helper.Name != "" {
			line, _ := position(nameAt)
			if first, twice := lineOf[helper.Name]; twice {
				r.fault(nameAt, "helper %q is there twice, first on line %d", helper.Name, first)
			} else {
				lineOf[helper.Name] = line
			}
		}
		helpers = append(helpers, helper)
	}
	return helpers
}

// helper reads one entry of helpers.
func (r *reader) helper(n ast.Node) (helper Helper, nameAt ast.Node) {
	before := len(r.job.words)
	for _, f := range r.fields(n, helperKeys) {
		switch f.key {
		case "name":
			helper.Name, nameAt = r.helperName(f), f.val
		case "command":
			helper.Command = r.command(f)
		case "cpus":
			helper.CPUs = choice(r, f, words(BesideServer, WithServer)...)
		case "ready":
			helper.Ready = r.ready(f, helperForms)
		case "ports":
			helper.Ports = r.ports(f)
		case "env":
			helper.Env = r.env(f)
		case "user":
			helper.User = r.user(f)
		case "log":
			helper.Log = r.logRules(f)
		case "programs":
			helper.Programs = r.programs(f)
		case "install":
			helper.Install = r.sentence(f)
		}
	}
	r.job.knowing(portWords(helperWords, helper.Ports), before)
	return helper, nameAt
}

// serverName is what the server itself is called among its helpers.
const serverName = "server"

func (r *reader) helperName(f field) string {
	name := r.name(f)
	switch {
	case name == serverName:
		r.fault(f.val, "name: %q is the server that is measured, expected another name for a helper", name)
		return ""
	case slices.Contains(reservedWords, name):
		r.fault(f.val, "name: {%s} stands for something else, expected another name for a helper", name)
		return ""
	}
	return name
}

// command reads a program and its arguments, each a text of its own: no shell
// takes one text apart.
func (r *reader) command(f field) []string {
	entries, ok := r.list(f, "a list of a program and its arguments such as [scalbench, target]")
	if ok && len(entries) == 0 {
		r.fault(f.val, "%s: an empty list, expected a program and its arguments", f.key)
	}
	var command []string
	for i, entry := range entries {
		word, ok := r.template(field{key: f.key, val: entry}, "a program or an argument, as text")
		switch {
		case !ok: // told already
		case i == 0 && word == "":
			r.fault(entry, "%s: an empty text, expected a program", f.key)
		case hasNUL(word): // execve(2) would end the word there
			r.fault(entry, "%s: a NUL in %q", f.key, word)
		default:
			command = append(command, word)
		}
	}
	return command
}

func hasNUL(text string) bool { return strings.ContainsRune(text, 0) }
