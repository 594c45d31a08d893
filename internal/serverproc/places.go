package serverproc

import (
	"cmp"
	"slices"
	"strings"
)

// Places are the paths and numbers that differ between two variants for no other reason
// than that each has its own, with the words that stand for them:
// "/tmp/session/el8/nginx.conf" is "{config}". They are replaced before anything is
// compared, so that a configuration is compared by its content and never by its path.
type Places map[string]string

// replacer replaces the longest place first, as the configuration inside of its
// directory.
func (p Places) replacer() *strings.Replacer {
	type pair struct{ place, word string }
	var pairs []pair
	for place, word := range p {
		if place != "" {
			pairs = append(pairs, pair{place, word})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(len(b.place), len(a.place)), cmp.Compare(a.place, b.place))
	})
	var args []string
	for _, p := range pairs {
		args = append(args, p.place, p.word)
	}
	return strings.NewReplacer(args...)
}
