package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// describeRequests prints the request of the first peer that sent one, who sends
// the same, and in what the others differ, as a line each.
func describeRequests(what string, recordings []recording) []string {
	recordings = slices.DeleteFunc(slices.Clone(recordings), func(rec recording) bool { return rec.request == nil })
	if len(recordings) == 0 {
		return nil
	}
	first := recordings[0]
	var same []string
	var lines []string
	for _, rec := range recordings {
		if bytes.Equal(rec.request, first.request) {
			same = append(same, rec.peer)
			continue
		}
		lines = append(lines, fmt.Sprintf("%s of %s: DIFFERENT, %d bytes: %s",
			what, rec.peer, len(rec.request), strings.Join(differences(first.request, rec.request), "; ")))
	}
	return slices.Concat([]string{fmt.Sprintf("%s of %s: identical, %d bytes: %q",
		what, strings.Join(same, ", "), len(first.request), first.request)}, lines)
}

// differences says in words in what other differs from first. Names of header
// fields are the same in either case (RFC 9110, 5.1), values are not.
func differences(first, other []byte) []string {
	a, b := requestLines(first), requestLines(other)
	foldedA, foldedB := foldNames(a), foldNames(b)
	var words []string
	for _, line := range foldedB {
		if !slices.Contains(foldedA, line) {
			words = append(words, fmt.Sprintf("has %q", line))
		}
	}
	for _, line := range foldedA {
		if !slices.Contains(foldedB, line) {
			words = append(words, fmt.Sprintf("lacks %q", line))
		}
	}
	if words == nil && !slices.Equal(foldedA, foldedB) {
		words = append(words, "the lines in another order")
	}
	for i, line := range b {
		if slices.Contains(foldedA, foldedB[i]) && !slices.Contains(a, line) {
			return append(words, "names in another case")
		}
	}
	return words
}

// requestLines are the lines up to the empty one.
func requestLines(request []byte) []string {
	return strings.Split(strings.TrimSuffix(string(request), "\r\n\r\n"), "\r\n")
}

// foldNames returns the lines with the names of header fields in lower case.
func foldNames(lines []string) []string {
	folded := slices.Clone(lines)
	for i, line := range folded[1:] {
		if name, value, found := strings.Cut(line, ":"); found {
			folded[i+1] = strings.ToLower(name) + ":" + value
		}
	}
	return folded
}
