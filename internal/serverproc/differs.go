package serverproc

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Facts are what makes a variant what it is, as it ran.
type Facts struct {
	Exe    string         // path of the program: a place, no difference of its own
	Binary Fact[string]   // SHA-256 of the program
	Config []byte         // the configuration as the server got it; nil: it has none
	Argv   Fact[[]string] // as it ran
	Env    Fact[[]string] // KEY=value, as it ran
	UID    Fact[int]      // effective
	// Helpers are the commands of what was started beside it, each in one line.
	Helpers  []string
	Security Security
	Limits   Fact[[]Limit]

	Places Places // that are not a difference
}

// FactsOf takes from an observation what it tells. Helpers, Config and Places are the
// caller's, and so is an Env where the observation has none because the server has
// written over it: then it is the one that the server was started with.
func FactsOf(o Observation) Facts {
	if o.Gone {
		const gone = "the server had ended"
		return Facts{
			Binary: unknown[string](gone), Argv: unknown[[]string](gone), Env: unknown[[]string](gone), UID: unknown[int](gone),
			Security: Security{unknown[int](gone), unknown[int](gone), unknown[bool](gone), unknown[string](gone)},
			Limits:   unknown[[]Limit](gone),
		}
	}
	p := o.Server
	return Facts{
		Exe: p.Exe.Value, Binary: p.SHA256, Argv: p.Argv, Env: p.Env, UID: known(p.EffectiveUID),
		Security: p.Security, Limits: p.Limits,
	}
}

// Words of [Difference.What], and of a `varies:` list.
const (
	DiffersBinary         = "binary"
	DiffersConfig         = "config"
	DiffersArgv           = "argv"
	DiffersEnv            = "env"
	DiffersUID            = "uid"
	DiffersHelpers        = "helpers"
	DiffersSeccomp        = "seccomp"
	DiffersSeccompFilters = "seccomp_filters"
	DiffersNoNewPrivs     = "no_new_privs"
	DiffersCapEff         = "cap_eff"
	DiffersLimits         = "limits"
)

// Difference is one thing in which two variants differ.
type Difference struct {
	What string // one of the words above
	Base string
	New  string
}

// String returns the form "env: OPEN_FILE_CACHE=off / OPEN_FILE_CACHE=check".
func (d Difference) String() string { return d.What + ": " + d.Base + " / " + d.New }

// Differences are those of one comparison.
type Differences struct {
	Items []Difference // a variable and a limit have one each
	// NA says of each thing that could not be compared why, behind its word.
	NA []string
}

// Same reports whether both are the same program, started alike. It is false where
// something could not be compared.
func (d Differences) Same() bool { return len(d.Items) == 0 && len(d.NA) == 0 }

// Outside returns the differences that a `varies:` list does not name.
func (d Differences) Outside(varies []string) []Difference {
	var outside []Difference
	for _, item := range d.Items {
		if !slices.Contains(varies, item.What) {
			outside = append(outside, item)
		}
	}
	return outside
}

// Differs compares two variants, in the order of the words.
func Differs(base, new Facts) Differences {
	var d Differences
	baseWords, newWords := base.replacer(), new.replacer()
	compare(&d, DiffersBinary, base.Binary, new.Binary)
	d.config([]byte(baseWords.Replace(string(base.Config))), []byte(newWords.Replace(string(new.Config))), base.Config == nil, new.Config == nil)
	d.argv(base.Argv, new.Argv, baseWords, newWords)
	d.env(base.Env, new.Env, baseWords, newWords)
	compare(&d, DiffersUID, base.UID, new.UID)
	d.add(DiffersHelpers, baseWords.Replace(strings.Join(base.Helpers, "; ")), newWords.Replace(strings.Join(new.Helpers, "; ")))
	compare(&d, DiffersSeccomp, base.Security.Seccomp, new.Security.Seccomp)
	compare(&d, DiffersSeccompFilters, base.Security.SeccompFilters, new.Security.SeccompFilters)
	compare(&d, DiffersNoNewPrivs, base.Security.NoNewPrivs, new.Security.NoNewPrivs)
	compare(&d, DiffersCapEff, base.Security.CapEff, new.Security.CapEff)
	d.limits(base.Limits, new.Limits)
	return d
}

// replacer is that of the places, with the path of the program as one more.
func (f Facts) replacer() *strings.Replacer {
	places := Places{}
	if f.Exe != "" {
		places[f.Exe] = "{exe}"
	}
	for place, word := range f.Places {
		places[place] = word
	}
	return places.replacer()
}

func (d *Differences) add(what, base, new string) {
	if base != new {
		d.Items = append(d.Items, Difference{what, base, new})
	}
}

// bothKnown reports whether both facts are known, and notes why not.
func bothKnown[T any](d *Differences, what string, base, new Fact[T]) bool {
	for _, f := range []Fact[T]{base, new} {
		if !f.Known() {
			d.NA = append(d.NA, what+": "+f.NA)
			return false
		}
	}
	return true
}

func compare[T comparable](d *Differences, what string, base, new Fact[T]) {
	if bothKnown(d, what, base, new) {
		d.add(what, fmt.Sprint(base.Value), fmt.Sprint(new.Value))
	}
}

// config shows the first line in which two configurations differ: a hash would say that
// they do, and not how.
func (d *Differences) config(base, new []byte, noBase, noNew bool) {
	switch {
	case noBase != noNew:
		d.add(DiffersConfig, presence(noBase), presence(noNew))
		return
	case bytes.Equal(base, new):
		return
	}
	baseLines, newLines := bytes.Split(base, []byte("\n")), bytes.Split(new, []byte("\n"))
	for i := range max(len(baseLines), len(newLines)) {
		baseLine, newLine := lineAt(baseLines, i), lineAt(newLines, i)
		if baseLine != newLine {
			d.add(DiffersConfig, baseLine, newLine)
			return
		}
	}
}

func presence(none bool) string {
	if none {
		return "none"
	}
	return "there is one"
}

func lineAt(lines [][]byte, i int) string {
	if i >= len(lines) {
		return "line " + strconv.Itoa(i+1) + ": (end)"
	}
	return fmt.Sprintf("line %d: %s", i+1, bytes.TrimSpace(lines[i]))
}

func (d *Differences) argv(base, new Fact[[]string], baseWords, newWords *strings.Replacer) {
	if bothKnown(d, DiffersArgv, base, new) {
		d.add(DiffersArgv, quoted(base.Value, baseWords), quoted(new.Value, newWords))
	}
}

// quoted is a command line in which arguments cannot run into each other.
func quoted(argv []string, words *strings.Replacer) string {
	parts := make([]string, len(argv))
	for i, arg := range argv {
		parts[i] = words.Replace(arg)
		if parts[i] == "" || strings.ContainsAny(parts[i], " \"'\t\n") {
			parts[i] = strconv.Quote(parts[i])
		}
	}
	return strings.Join(parts, " ")
}

// env compares the variables by name, whatever their order, without those of our own.
func (d *Differences) env(base, new Fact[[]string], baseWords, newWords *strings.Replacer) {
	if !bothKnown(d, DiffersEnv, base, new) {
		return
	}
	d.byName(DiffersEnv, "=", variables(base.Value, baseWords), variables(new.Value, newWords))
}

func variables(env []string, words *strings.Replacer) map[string]string {
	values := map[string]string{}
	for _, variable := range withoutVariables(env, SessionVariable, PadVariable) {
		key, value, _ := strings.Cut(variable, "=")
		values[key] = words.Replace(value)
	}
	return values
}

func (d *Differences) limits(base, new Fact[[]Limit]) {
	if bothKnown(d, DiffersLimits, base, new) {
		d.byName(DiffersLimits, " ", limitTexts(base.Value), limitTexts(new.Value))
	}
}

func limitTexts(limits []Limit) map[string]string {
	texts := map[string]string{}
	for _, l := range limits {
		texts[l.Name] = l.Soft + " to " + l.Hard
	}
	return texts
}

// byName adds an item for each name whose values differ, ascending.
func (d *Differences) byName(what, between string, base, new map[string]string) {
	names := map[string]bool{}
	for name := range base {
		names[name] = true
	}
	for name := range new {
		names[name] = true
	}
	text := func(values map[string]string, name string) string {
		value, there := values[name]
		if !there {
			return name + " not set"
		}
		return name + between + value
	}
	for _, name := range sortedKeys(names) {
		d.add(what, text(base, name), text(new, name))
	}
}

func sortedKeys(set map[string]bool) []string {
	var keys []string
	for key := range set {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
