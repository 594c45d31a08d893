package suite

import (
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/scalws/scalbench/internal/profile"
)

var profileKeys = keyTable{
	what:  "profile",
	known: []string{"when", "groups", "hz", "measure", "keep_data"},
}

var profileGroupKeys = keyTable{
	what:  "a group of profile",
	known: []string{"symbols", "modules", "leaf"},
	hints: map[string]string{"pattern": `it is "symbols", or "modules" for files`},
}

// profile reads a word, or a mapping that says more.
func (r *reader) profile(f field) Profile {
	var p Profile
	if _, mapping := f.val.(*ast.MappingNode); !mapping {
		p.When = r.profileWhen(f)
		return p
	}
	for _, f := range r.fields(f.val, profileKeys) {
		switch f.key {
		case "when":
			p.When = r.profileWhen(f)
		case "groups":
			p.Groups = r.profileGroups(f)
		case "hz":
			p.Hz = int(r.integer(f, 11, 9973))
		case "measure":
			p.Measure = r.duration(f, time.Second, 10*time.Minute)
		case "keep_data":
			p.KeepData = r.boolean(f)
		}
	}
	return p
}

func (r *reader) profileWhen(f field) ProfileWhen {
	return choice(r, f, words(ProfileAlways, ProfileOnFail, ProfileNever)...)
}

// profileGroups reads NAME: EXPRESSION, or NAME: {symbols, modules, leaf}.
func (r *reader) profileGroups(f field) []profile.Group {
	var groups []profile.Group
	for _, entry := range r.distinct(f) {
		g := profile.Group{Name: entry.key}
		if _, mapping := entry.val.(*ast.MappingNode); mapping {
			for _, f := range r.fields(entry.val, profileGroupKeys) {
				switch f.key {
				case "symbols":
					g.Symbols, _ = r.text(f, "a regular expression")
				case "modules":
					g.Modules, _ = r.text(f, "a regular expression")
				case "leaf":
					g.Leaf = r.boolean(f)
				}
			}
		} else {
			var ok bool
			if g.Symbols, ok = r.text(entry, "a regular expression, or symbols and modules"); !ok {
				continue
			}
		}
		if err := g.Check(); err != nil {
			r.fault(entry.name, "profile: %v", err)
			continue
		}
		groups = append(groups, g)
	}
	return groups
}
