package main

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// named is what can be chosen on the command line.
type named interface{ name() string }

// names lists all, separated by commas, as a flag takes them.
func names[T named](all []T) string {
	var list []string
	for _, t := range all {
		list = append(list, t.name())
	}
	return strings.Join(list, ",")
}

// choose picks the named ones, in the order in which they are named.
func choose[T named](kind string, all []T, list string) ([]T, error) {
	var chosen []T
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(all, func(t T) bool { return t.name() == name })
		if i < 0 {
			return nil, fmt.Errorf("no %s %q: there are %s", kind, name, names(all))
		}
		if slices.ContainsFunc(chosen, func(t T) bool { return t.name() == name }) {
			return nil, fmt.Errorf("%s %q is named twice", kind, name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// installed drops what is not there and adds a line about each to absent.
func installed[T installable](all []T, absent []string) ([]T, []string) {
	var found []T
	for _, t := range all {
		if _, err := exec.LookPath(t.program()); err != nil {
			absent = append(absent, fmt.Sprintf("%s is absent: %s", t.name(), t.install()))
			continue
		}
		found = append(found, t)
	}
	return found, absent
}
