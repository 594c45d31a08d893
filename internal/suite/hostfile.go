package suite

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
)

var hostKeys = keyTable{
	what:  "a host",
	known: []string{"name", "placement", "quiet", "require"},
	must:  []string{"name"},
}

// hostFile is what suites of one host have in common, and need not say each.
type hostFile struct {
	in        *reader
	placement Placement
	quiet     *field
	require   []Requirement
}

// host reads the first part of the names of results, or the file of a host, which has
// that and more.
func (r *reader) host(f field) (name string, file *hostFile) {
	text, ok := scalarText(f.val)
	if !ok || !strings.HasSuffix(text, ".yaml") {
		return r.name(f), nil
	}
	path := r.path(f)
	if path == "" {
		return "", nil
	}
	child, root := r.open(f.val, path, "a host")
	if root == nil {
		return "", nil
	}
	return child.hostIn(root)
}

// hostIn reads the root of such a file.
func (r *reader) hostIn(root ast.Node) (name string, file *hostFile) {
	file = &hostFile{in: r}
	for _, f := range r.fields(root, hostKeys) {
		switch f.key {
		case "name":
			name = r.name(f)
		case "placement":
			file.placement = r.placement(f)
		case "quiet":
			file.quiet = &f
		case "require":
			file.require = r.require(f)
		}
	}
	return name, file
}

// underSuite takes from the file of the host what the suite does not say itself.
func (h *hostFile) underSuite(s *Suite, p *parts) {
	if s.Placement == (Placement{}) {
		s.Placement = h.placement
	}
	if s.Require == nil {
		s.Require = h.require
	}
	if p.quiet == nil {
		s.Quiet = h.in.quiet(h.quiet, p.preset)
	}
}
