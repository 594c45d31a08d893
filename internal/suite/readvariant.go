package suite

import (
	"regexp"
	"slices"

	"github.com/goccy/go-yaml/ast"
)

var variantKeys = keyTable{
	what: "a variant",
	known: []string{"name", "command", "config", "env", "user", "workers", "ports", "ready", "expect", "provides",
		"log", "about", "instances", "same_ok", "programs", "install", "nofile"},
	must: []string{"name", "command"},
	hints: map[string]string{
		"cpus":      `which CPUs a server has is said in the suite, under "placement"`,
		"placement": "it stands in the suite",
		"port":      "it is ports: {http: 8080}",
	},
}

// placedVariant is a variant with its reader and the nodes that checks across keys
// point at.
type placedVariant struct {
	Variant
	in     *reader
	nameAt ast.Node // nil when the key is missing
}

// usedWord is a placeholder of a text, which is checked when all helpers are known.
type usedWord struct {
	word  string
	in    *reader
	at    ast.Node
	known []string // beside the names of helpers
}

// maxWorkers is more than servers have.
const maxWorkers = 4096

// Bounds of open files: what a process needs to begin, and the most that a kernel allows
// where nobody has raised that (fs.nr_open is 1 048 576), a thousand times.
const (
	minNofile = 64
	maxNofile = 1 << 30
)

// variant reads one variant, in the suite or the root of a file of its own.
func (r *reader) variant(n ast.Node) placedVariant {
	v := placedVariant{in: r}
	v.Ready.Timeout, v.Expect.Grace = defaultReady, defaultGrace
	before := len(r.job.words)
	for _, f := range r.fields(n, variantKeys) {
		switch f.key {
		case "name":
			v.Name, v.nameAt = r.name(f), f.val
		case "command":
			v.Command = r.command(f)
		case "config":
			v.Config = r.config(f)
		case "env":
			v.Env = r.env(f)
		case "user":
			v.User = r.user(f)
		case "workers":
			v.Workers = int(r.integer(f, 1, maxWorkers))
		case "nofile":
			v.Nofile = int(r.integer(f, minNofile, maxNofile))
		case "ports":
			v.Ports = r.ports(f)
		case "ready":
			v.Ready = r.ready(f, variantForms)
		case "expect":
			v.Expect = r.identity(f)
		case "provides":
			v.Provides = r.provides(f)
		case "log":
			v.Log = r.logRules(f)
		case "about":
			v.About = r.about(f)
		case "instances":
			v.Instances = r.instances(f)
		case "same_ok":
			v.SameOK = r.sentence(f)
		case "programs":
			v.Programs = r.programs(f)
		case "install":
			v.Install = r.sentence(f)
		}
	}
	r.job.knowing(v.words(), before)
	return v
}

// knowing says which placeholders are known where those since the index were used.
func (j *job) knowing(words []string, since int) {
	for i := range j.words[since:] {
		j.words[since+i].known = words
	}
}

// words are the placeholders that a variant knows beside the names of helpers.
func (v *placedVariant) words() []string {
	words := slices.DeleteFunc(slices.Clone(reservedWords), func(w string) bool { return w == "port" || w == "config" && v.Config.From == "" })
	return portWords(words, v.Ports)
}

// portWords are words with those of ports.
func portWords(words []string, ports []Port) []string {
	words = slices.Clone(words)
	if len(ports) > 0 {
		words = append(words, "port")
	}
	for _, p := range ports {
		words = append(words, "port."+p.Name)
	}
	return words
}

// template reads a text whose placeholders are replaced when a server is started.
func (r *reader) template(f field, what string) (text string, ok bool) {
	text, ok = scalarText(f.val)
	if !ok {
		r.mismatch(f.val, f.key, what)
		return "", false
	}
	text = r.job.withParams(text, true)
	r.use(f.val, text)
	return text, true
}

// use notes the placeholders of a text.
func (r *reader) use(at ast.Node, text string) {
	for _, word := range wordsOf(text) {
		r.job.words = append(r.job.words, usedWord{word: word, in: r, at: at})
	}
}

// env reads variables. Their values are the texts of the tokens: 010 stays 010, and
// off is no boolean.
func (r *reader) env(f field) []EnvVar {
	var env []EnvVar
	for _, f := range r.distinct(f) {
		value, ok := r.template(f, `the text of a variable, "" for an empty one`)
		switch {
		case !validEnvName.MatchString(f.key):
			r.fault(f.name, "env: %q, expected letters, digits and _ with no digit first", f.key)
		case ok && hasNUL(value): // execve(2) would end it there
			r.fault(f.val, "env: a NUL in %s", f.key)
		case ok:
			env = append(env, EnvVar{Name: f.key, Value: value})
		}
	}
	return env
}

// As POSIX has it (XBD 8.1), and small letters, which programs use too.
var validEnvName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)

// As useradd(8) takes them, or a number.
var validUser = regexp.MustCompile(`^([a-z_][a-z0-9_-]{0,31}|0|[1-9][0-9]{0,9})$`)

func (r *reader) user(f field) string {
	text, ok := r.text(f, "the name of a user")
	if ok && !validUser.MatchString(text) {
		r.fault(f.val, "user: %q, expected the name or the number of a user", text)
		return ""
	}
	return text
}

// ports reads a mapping of names to numbers.
func (r *reader) ports(f field) []Port {
	var ports []Port
	for _, f := range r.distinct(f) {
		number := int(r.integer(f, 0, 65535))
		if !validName.MatchString(f.key) {
			r.fault(f.name, "ports: %q, expected a name such as http", f.key)
		}
		ports = append(ports, Port{Name: f.key, Number: number})
	}
	return ports
}

// provides reads what a variant can; an empty list is one that can nothing.
func (r *reader) provides(f field) []string {
	if list, ok := f.val.(*ast.SequenceNode); ok && len(list.Values) == 0 {
		return []string{}
	}
	return r.needs(f)
}
