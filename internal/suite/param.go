package suite

import (
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Param is a word that the texts of a suite hold in braces: {conns}. Keys and the
// names of files' variables are no texts.
type Param struct {
	Name  string
	Value string
	Given bool // by [Parser], and not the file's own value
}

// Table is what the results of the suite are called: its name, and what was given
// for its params: proxy-conns-128. Characters that no name has become a dash.
func (s *Suite) Table() string {
	table := s.Name
	for _, p := range s.Params {
		if p.Given {
			table += notInNames.ReplaceAllString(strings.ToLower("-"+p.Name+"-"+p.Value), "-")
		}
	}
	return strings.TrimRight(table[:min(len(table), 64)], "-.") // of a name, at most
}

var notInNames = regexp.MustCompile(`[^a-z0-9._]+`)

// A param is a placeholder, so that its name is of that form.
var validParam = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}$`)

// params reads what the file declares and puts what was given over it. It comes
// before everything else, since every text may hold a param.
func (r *reader) params(f field) []Param {
	var params []Param
	for _, f := range r.distinct(f) {
		switch {
		case !validParam.MatchString(f.key):
			r.fault(f.name, "param %q, expected 1 to 32 of a-z 0-9 _ - with a letter first", f.key)
		case slices.Contains(reservedWords, f.key):
			r.fault(f.name, "param %q: {%s} stands for something else, see the placeholders of a variant", f.key, f.key)
		default:
			params = append(params, r.param(f))
		}
	}
	return params
}

// param reads one param; nothing as its value means that one must be given.
func (r *reader) param(f field) Param {
	if given, ok := r.job.parser.Params[f.key]; ok {
		return Param{Name: f.key, Value: given, Given: true}
	}
	if _, nothing := f.val.(*ast.NullNode); nothing {
		r.fault(f.name, "param %q has no value of its own, give it one: %s=VALUE", f.key, f.key)
		return Param{Name: f.key}
	}
	text, _ := r.text(f, "a text or a number")
	return Param{Name: f.key, Value: text}
}

// checkGiven tells params that were given and that the suite does not have; at is
// where it could have them.
func (r *reader) checkGiven(at ast.Node, params []Param) {
	names := paramNames(params)
	for name := range sorted(r.job.parser.Params) {
		if slices.Contains(names, name) {
			continue
		}
		switch near := Nearest(name, names); {
		case near != "":
			r.fault(at, "no param %q in the suite; did you mean %q?", name, near)
		case len(names) == 0:
			r.fault(at, "no param %q in the suite; it has none", name)
		default:
			r.fault(at, "no param %q in the suite; it has %s", name, strings.Join(names, ", "))
		}
	}
}

func paramNames(params []Param) []string {
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.Name
	}
	return names
}

// withParams puts the values of params into a text. raw leaves two braces as they
// are, for a text whose placeholders are replaced later on.
func (j *job) withParams(text string, raw bool) string {
	return expand(text, func(word string, escaped bool) (string, bool) {
		i := slices.IndexFunc(j.params, func(p Param) bool { return p.Name == word })
		switch {
		case i < 0 || escaped && raw:
			return "", false
		case escaped:
			return "{" + word + "}", true
		}
		return j.params[i].Value, true
	})
}
