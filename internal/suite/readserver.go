package suite

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
)

var readyKeys = keyTable{
	what:  "ready",
	known: []string{"url", "status", "body", "timeout"},
	must:  []string{"url"},
}

// readyForms are the URLs of a ready check.
type readyForms struct {
	form  string   // for messages
	plain []string // schemes of which only that it accepts is known
}

var (
	variantForms = readyForms{form: "http://HOST:PORT/PATH, of which {port} may be the port"}
	helperForms  = readyForms{form: "http://HOST:PORT/PATH, tcp://HOST:PORT, of which {port} may be the port, or unix:///PATH", plain: []string{"tcp", "unix"}}
)

// ready reads when a server, or a helper, can be asked.
func (r *reader) ready(f field, forms readyForms) Ready {
	ready, answers := Ready{Timeout: defaultReady}, ast.Node(nil)
	for _, f := range r.fields(f.val, readyKeys) {
		switch f.key {
		case "url":
			ready.URL = r.readyURL(f, forms)
		case "status":
			ready.Status, answers = int(r.integer(f, 200, 599)), f.val
		case "body":
			ready.Body, _ = r.text(f, "text")
			answers = f.val
		case "timeout":
			ready.Timeout = r.duration(f, time.Millisecond, time.Hour)
		}
	}
	if scheme, _, _ := strings.Cut(ready.URL, "://"); answers != nil && slices.Contains(forms.plain, scheme) {
		r.fault(answers, "ready: %s: says only that somebody accepts, expected neither status nor body", ready.URL)
	}
	return ready
}

// readyURL reads a full URL whose port may be a placeholder.
func (r *reader) readyURL(f field, forms readyForms) string {
	text, ok := r.template(f, forms.form)
	if !ok {
		return ""
	}
	// A path that begins with a placeholder, such as {dir}, is one from the root.
	u, err := url.Parse(strings.Replace(placeholder.ReplaceAllString(text, "1"), "unix://1", "unix:///1", 1))
	good := err == nil && sendable.MatchString(text) && u.User == nil
	switch {
	case !good:
	case u.Scheme == "http" || u.Scheme == "https":
		good = u.Hostname() != ""
	case !slices.Contains(forms.plain, u.Scheme):
		good = false
	case u.Scheme == "tcp":
		good = u.Hostname() != "" && u.Port() != "" && u.Path == ""
	default:
		good = u.Host == "" && u.Path != "" && u.Path != "/"
	}
	if !good {
		r.fault(f.val, "url: %q, expected %s", text, forms.form)
		return ""
	}
	return text
}

var identityKeys = keyTable{
	what:  "expect",
	known: []string{"exe", "sha256", "uid", "seccomp", "no_new_privs", "argv", "processes", "grace"},
}

// identity reads what must be true of the processes of a variant.
func (r *reader) identity(f field) Identity {
	id := Identity{Grace: defaultGrace}
	for _, f := range r.fields(f.val, identityKeys) {
		switch f.key {
		case "exe":
			id.Exe = r.exe(f)
		case "sha256":
			id.SHA256 = r.sha256(f)
		case "uid":
			id.UID = r.uid(f)
		case "seccomp":
			id.Seccomp = new(int(r.integer(f, 0, 2)))
		case "no_new_privs":
			id.NoNewPrivs = new(r.boolean(f))
		case "argv":
			id.Argv = r.command(f)
		case "processes":
			id.Processes = int(r.integer(f, 1, 10_000))
		case "grace":
			id.Grace = r.duration(f, 0, time.Minute)
		}
	}
	return id
}

// exe reads a program: a name that is looked up as a shell would, or a path.
func (r *reader) exe(f field) string {
	if name, ok := r.text(f, "the path or the name of a program"); ok && name != "" && !strings.ContainsAny(name, "/\x00") {
		return name
	}
	return r.path(f)
}

// programs reads names of programs that must be there.
func (r *reader) programs(f field) []string {
	entries, _ := r.list(f, "a list of names of programs such as [nginx]")
	var programs []string
	for _, entry := range entries {
		name, ok := r.text(field{key: f.key, val: entry}, "the name of a program")
		switch {
		case !ok: // told already
		case name == "" || strings.ContainsAny(name, "/ ") || strings.ContainsFunc(name, isControl):
			r.fault(entry, "%s: %q, expected the name of a program that is looked up as a shell would", f.key, name)
		case slices.Contains(programs, name):
			r.fault(entry, "%s: %q is there twice", f.key, name)
		default:
			programs = append(programs, name)
		}
	}
	return programs
}

var validSHA256 = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (r *reader) sha256(f field) string {
	text, ok := r.text(f, "a SHA-256")
	if ok && !validSHA256.MatchString(text) {
		r.fault(f.val, "%s: %q, expected 64 of 0-9 a-f", f.key, text)
		return ""
	}
	return text
}

func (r *reader) uid(f field) UIDRule {
	const form = "root, nonroot or the number of a user"
	text, ok := r.text(f, form)
	switch {
	case !ok: // told already
	case text == "root":
		return UIDRule{Kind: RootUID}
	case text == "nonroot":
		return UIDRule{Kind: NonRootUID}
	default:
		n, err := strconv.ParseUint(text, 10, 31)
		if err == nil && decimal.MatchString(text) {
			return UIDRule{Kind: ExactUID, UID: int(n)}
		}
		r.fault(f.val, "uid: %q, expected %s", text, form)
	}
	return UIDRule{}
}

var logKeys = keyTable{what: "log", known: []string{"files", "fail", "ignore"}}

// logRules reads the patterns for the lines of a log.
func (r *reader) logRules(f field) LogRules {
	var rules LogRules
	for _, f := range r.fields(f.val, logKeys) {
		switch f.key {
		case "files":
			rules.Files = r.logFiles(f)
		case "fail":
			rules.Fail = r.patterns(f)
		case "ignore":
			rules.Ignore = r.patterns(f)
		}
	}
	return rules
}

// logFiles reads paths of files that a process writes.
func (r *reader) logFiles(f field) []string {
	entries, _ := r.list(f, `a list of files such as ["{dir}/error.log"]`)
	var files []string
	for _, entry := range entries {
		path, ok := r.template(field{key: f.key, val: entry}, "the path of a file")
		switch {
		case !ok: // told already
		case path == "" || hasNUL(path) || strings.HasSuffix(path, "/"):
			r.fault(entry, "%s: %q, expected the path of a file", f.key, path)
		default:
			files = append(files, path)
		}
	}
	return files
}

func (r *reader) patterns(f field) []string {
	entries, _ := r.list(f, `a list of regular expressions such as ["bind", "panic"]`)
	var patterns []string
	for _, entry := range entries {
		text, ok := r.text(field{key: f.key, val: entry}, "a regular expression")
		if !ok {
			continue
		}
		if _, err := regexp.Compile(text); err != nil {
			r.fault(entry, "%s: %v", f.key, err)
			continue
		}
		patterns = append(patterns, text)
	}
	return patterns
}

// about reads facts: a text each, or a list of texts.
func (r *reader) about(f field) map[string]string {
	about := map[string]string{}
	for _, f := range r.distinct(f) {
		parts := []ast.Node{f.val}
		if list, ok := f.val.(*ast.SequenceNode); ok {
			parts = list.Values
		}
		var texts []string
		for _, part := range parts {
			if text, ok := r.text(field{key: f.key, val: part}, "a text or a list of texts"); ok {
				texts = append(texts, text)
			}
		}
		about[f.key] = strings.Join(texts, ", ")
		if strings.ContainsFunc(about[f.key], isControl) {
			r.fault(f.val, "%s: expected one line", f.key)
		}
	}
	return about
}

var instancesKeys = keyTable{
	what:  "instances",
	known: []string{"count", "layout", "id"},
	must:  []string{"count", "layout"},
}

// instances reads how many servers a variant is.
func (r *reader) instances(f field) Instances {
	var in Instances
	for _, f := range r.fields(f.val, instancesKeys) {
		switch f.key {
		case "count":
			in.Count = int(r.integer(f, 1, 1024))
		case "layout":
			in.Layout = choice(r, f, words(Multi, Single)...)
		case "id":
			in.ID = r.name(f)
		}
	}
	return in
}
