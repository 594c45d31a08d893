package suite

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// step is one step of a path: into a mapping by its key, or into a list by its
// index.
type step struct {
	key    string
	index  int // from 0
	inList bool
}

// String returns the step as a path has it.
func (s step) String() string {
	if s.inList {
		return "[" + strconv.Itoa(s.index) + "]"
	}
	return s.key
}

var pathStep = regexp.MustCompile(`^(?:\[(0|[1-9][0-9]{0,5})\]|\.?"([^"]*)"|\.?'([^']*)'|\.?([^][.'"\s]+))`)

// parsePath reads a path: keys after dots, indices in brackets, and keys that have
// such characters in quotes: servers[0]."tls.min". A "$." before it, which some
// notations want, is no step. Wildcards are refused: an edit is of one place.
func parsePath(text string) ([]step, error) {
	wrong := fmt.Errorf("path %q, expected keys and indices such as server.ports[0], the first one a key", text)
	rest := strings.TrimPrefix(text, "$.")
	var steps []step
	for rest != "" {
		m := pathStep.FindStringSubmatch(rest)
		if m == nil || strings.HasPrefix(rest, ".") == (len(steps) == 0) && m[1] == "" {
			return nil, wrong
		}
		rest = rest[len(m[0]):]
		if m[1] != "" {
			index, _ := strconv.Atoi(m[1]) // six digits at most
			steps = append(steps, step{index: index, inList: true})
			continue
		}
		key := m[2] + m[3] + m[4] // two of them are empty
		if key == "*" || key == "$" || key == "" {
			return nil, wrong
		}
		steps = append(steps, step{key: key})
	}
	if len(steps) == 0 {
		return nil, wrong
	}
	return steps, nil
}

// spot is an entry of a mapping or a list, and how to get there; in is nil for the
// root of a document.
type spot struct {
	in     *spot
	parent ast.Node // *ast.MappingNode or *ast.SequenceNode
	index  int
	node   ast.Node // the entry's value
}

// find goes along the steps. The error says how far it came.
func find(root ast.Node, steps []step) (*spot, error) {
	at := &spot{node: root}
	gone := "the file"
	for _, s := range steps {
		next, err := at.into(s)
		if err != nil {
			return nil, fmt.Errorf("%w in %s", err, gone)
		}
		at, gone = next, s.String()
	}
	return at, nil
}

// into takes one step.
func (at *spot) into(s step) (*spot, error) {
	node := bare(at.node)
	switch n := node.(type) {
	case *ast.AliasNode:
		return nil, fmt.Errorf("a YAML alias stands instead of %s, edit what it stands for,", s)
	case *ast.MappingNode:
		if s.inList {
			break
		}
		var keys []string
		for i, v := range n.Values {
			key, _ := scalarText(v.Key)
			if key == s.key {
				return &spot{in: at, parent: n, index: i, node: v.Value}, nil
			}
			keys = append(keys, key)
		}
		if near := Nearest(s.key, keys); near != "" {
			return nil, fmt.Errorf("no key %q, but %q,", s.key, near)
		}
		return nil, fmt.Errorf("no key %q", s.key)
	case *ast.SequenceNode:
		if !s.inList {
			return nil, fmt.Errorf("no key %q, but a list such as [0],", s.key)
		}
		if s.index >= len(n.Values) {
			return nil, fmt.Errorf("no entry %s, but %d entries,", s, len(n.Values))
		}
		return &spot{in: at, parent: n, index: s.index, node: n.Values[s.index]}, nil
	}
	return nil, fmt.Errorf("no %s, but %s,", s, describe(node))
}

// bare is a node without its anchor and tag.
func bare(n ast.Node) ast.Node {
	for {
		switch outer := n.(type) {
		case *ast.AnchorNode:
			n = outer.Value
		case *ast.TagNode:
			n = outer.Value
		default:
			return n
		}
	}
}
