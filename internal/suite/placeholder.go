package suite

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A placeholder is a word in braces. Two braces are none: {{port}} is the text
// {port}. Words are lower-case, so that ${HOME} is none either.
var placeholder = regexp.MustCompile(`\{\{[a-z][a-z0-9_.-]*\}\}|\{[a-z][a-z0-9_.-]*\}`)

// reservedWords are the placeholders that the start of a variant has values for;
// port.NAME for each port, the names of helpers and NAME.address for each come to them.
var reservedWords = []string{"config", "port", "instance", "dir", "cpus", "workers", "cert", "key"}

// helperWords are those of a helper, beside the names of others.
var helperWords = []string{"dir", "cpus", "cert", "key"}

// expand replaces placeholders of text: known says by what, or false to leave one as
// it is. escaped is true for a word in two braces.
func expand(text string, known func(word string, escaped bool) (string, bool)) string {
	return placeholder.ReplaceAllStringFunc(text, func(match string) string {
		if value, ok := known(strings.Trim(match, "{}"), strings.HasPrefix(match, "{{")); ok {
			return value
		}
		return match
	})
}

// wordsOf returns the placeholders of text, each once.
func wordsOf(text string) []string {
	var words []string
	for _, match := range placeholder.FindAllString(text, -1) {
		if word := strings.Trim(match, "{}"); !strings.HasPrefix(match, "{{") && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// Values are what placeholders stand for when a variant is started. The zero value
// of a field is "not known": a placeholder that needs it is an error.
type Values struct {
	Config   string // path of the effective configuration
	Dir      string // directory of this server's own
	Instance string // which of [Instances] it is
	CPUs     string // of the server, in the kernel's list format
	Workers  int
	Cert     string // path of a certificate made for the session, and of its key
	Key      string
	Helpers  map[string]string // URL of each helper, by its name
}

// Expand returns the variant as it is started: every placeholder of its command,
// environment, ready check, expected arguments and edits of the configuration has
// become its value. Ports must have been chosen. The error is of all placeholders
// without a value, joined.
func (v Variant) Expand(at Values) (Variant, error) {
	e := expansion{owner: "variant " + v.Name, values: at, ports: v.Ports}
	v.Command, v.Expect.Argv = e.texts(v.Command), e.texts(v.Expect.Argv)
	v.Ready.URL = e.text(v.Ready.URL)
	v.Env, v.Log.Files = e.env(v.Env), e.texts(v.Log.Files)
	v.Config.Edits = slices.Clone(v.Config.Edits)
	for i := range v.Config.Edits {
		v.Config.Edits[i].expand(e.text)
	}
	return v, errors.Join(e.errs...)
}

// Expand returns the helper as it is started, likewise. It has no configuration.
func (h Helper) Expand(at Values) (Helper, error) {
	e := expansion{owner: "helper " + h.Name, values: at, ports: h.Ports}
	h.Command, h.Ready.URL, h.Env = e.texts(h.Command), e.text(h.Ready.URL), e.env(h.Env)
	h.Log.Files = e.texts(h.Log.Files)
	return h, errors.Join(e.errs...)
}

// expansion replaces placeholders and collects those that have no value.
type expansion struct {
	owner  string
	values Values
	ports  []Port
	errs   []error
}

func (e *expansion) text(text string) string {
	return expand(text, func(word string, escaped bool) (string, bool) {
		if escaped {
			return "{" + word + "}", true
		}
		value := e.valueOf(word)
		if value == "" {
			e.errs = append(e.errs, fmt.Errorf("%s: no value for {%s} in %q", e.owner, word, text))
		}
		return value, true
	})
}

func (e *expansion) texts(texts []string) []string {
	texts = slices.Clone(texts)
	for i := range texts {
		texts[i] = e.text(texts[i])
	}
	return texts
}

func (e *expansion) env(env []EnvVar) []EnvVar {
	env = slices.Clone(env)
	for i := range env {
		env[i].Value = e.text(env[i].Value)
	}
	return env
}

// valueOf returns what a word stands for, "" for one without a value.
func (e *expansion) valueOf(word string) string {
	switch word {
	case "config":
		return e.values.Config
	case "dir":
		return e.values.Dir
	case "instance":
		return e.values.Instance
	case "cpus":
		return e.values.CPUs
	case "cert":
		return e.values.Cert
	case "key":
		return e.values.Key
	case "workers":
		return positive(e.values.Workers)
	}
	for i, p := range e.ports {
		if word == "port."+p.Name || word == "port" && i == 0 {
			return positive(p.Number)
		}
	}
	if url := e.values.Helpers[word]; url != "" {
		return url
	}
	if name, is := strings.CutSuffix(word, addressSuffix); is {
		return Address(e.values.Helpers[name])
	}
	return ""
}

// addressSuffix makes of the name of a helper the word for its address.
const addressSuffix = ".address"

// Address is the HOST:PORT of a URL, or the path of a unix one; "" for no URL.
func Address(text string) string {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return ""
	case u.Scheme == "unix":
		return u.Path
	}
	return u.Host
}

// positive writes a number, "" for 0.
func positive(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
