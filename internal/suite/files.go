package suite

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// maxFiles is what a suite may be made of, at most.
const maxFiles = 500

// job is the reading of one suite: what the readers of its files share.
type job struct {
	parser      Parser
	params      []Param
	target      Target
	hasVariants bool
	withConfigs bool      // read the files of configurations, too
	readers     []*reader // one for each file of YAML, in the order of their opening
	sources     []Source  // these and the configurations
	words       []usedWord
}

// newReader returns the reader of a file that has been opened; holds says what it
// is a file of.
func (j *job) newReader(file, holds string) *reader {
	r := &reader{file: file, holds: holds, checkRate: j.parser.CheckRate, job: j}
	j.readers = append(j.readers, r)
	return r
}

// faults returns those of all files: file by file, each in its own order.
func (j *job) faults() Faults {
	var all Faults
	for _, r := range j.readers {
		r.faults.sort()
		all = append(all, r.faults...)
	}
	return all
}

// Load reads a suite with everything that it is made of: the file called name, those
// that it names, and the configurations of its variants, whose edits are tried.
//
// The error is that of the file itself, or [Faults] with everything that is wrong in
// any of them; the suite is nil then.
func (p Parser) Load(name string) (*Suite, error) {
	data, err := p.read(name, maxFileBytes)
	if err != nil {
		return nil, fmt.Errorf("read suite %s: %w", name, cause(err))
	}
	return p.parse(name, data, true)
}

// entriesOf reads the entries of a list that may stand here or in files of their
// own, which are named by path or pattern. what is the kind of an entry, with its
// article.
func (r *reader) entriesOf(f field, what string, read func(r *reader, n ast.Node)) {
	plural := f.key
	entries, ok := r.list(f, fmt.Sprintf("a list of %s, each written here or the path of its file", plural))
	if ok && len(entries) == 0 {
		r.fault(f.val, "%s: an empty list, expected at least one", plural)
	}
	for _, entry := range entries {
		if _, isText := scalarText(entry); !isText {
			read(r, entry)
			continue
		}
		for _, file := range r.matching(field{key: f.key, val: entry}) {
			if child, root := r.open(entry, file, what); root != nil {
				read(child, root)
			}
		}
	}
}

// matching returns the files of a path or a pattern ([path.Match]), in their order,
// and none after a fault.
func (r *reader) matching(f field) []string {
	file := r.path(f)
	switch {
	case file == "": // told already
		return nil
	case !strings.ContainsAny(file, "*?["):
		return []string{file}
	}
	files, err := r.job.parser.glob(file)
	switch {
	case err != nil:
		r.fault(f.val, "%s: %q is no pattern, expected one such as %s/*.yaml", f.key, file, f.key)
	case len(files) == 0:
		r.fault(f.val, "%s: no file matches %s", f.key, file)
	}
	slices.Sort(files)
	return files
}

// open reads a file that is named at n; root is nil after a fault.
func (r *reader) open(n ast.Node, file, what string) (child *reader, root ast.Node) {
	data, ok := r.source(n, file, maxFileBytes)
	if !ok {
		return nil, nil
	}
	child = r.job.newReader(file, what)
	return child, child.document(data)
}

// source reads a file that is named at n, and keeps it.
func (r *reader) source(n ast.Node, file string, limit int64) (data []byte, ok bool) {
	j := r.job
	if i := slices.IndexFunc(j.sources, func(s Source) bool { return s.Path == file }); i >= 0 {
		return j.sources[i].Data, true
	}
	if len(j.sources) >= maxFiles {
		r.fault(n, "more than %d files", maxFiles)
		return nil, false
	}
	data, err := j.parser.read(file, limit)
	switch {
	case err != nil:
		r.fault(n, "%s: %v", file, cause(err))
	case int64(len(data)) > limit:
		r.fault(n, "%s has more than %d bytes", file, limit)
	default:
		j.sources = append(j.sources, Source{Path: file, Data: data})
		return data, true
	}
	return nil, false
}

// read returns what a file holds, at most a byte more than limit.
func (p Parser) read(file string, limit int64) ([]byte, error) {
	var in io.ReadCloser
	var err error
	if p.FS == nil {
		in, err = os.Open(file)
	} else {
		in, err = p.FS.Open(path.Clean(filepath.ToSlash(file)))
	}
	if err != nil {
		return nil, err
	}
	data, err := readAtMost(in, limit)
	return data, errors.Join(err, in.Close())
}

func (p Parser) glob(pattern string) ([]string, error) {
	if p.FS == nil {
		return filepath.Glob(pattern)
	}
	return fs.Glob(p.FS, path.Clean(filepath.ToSlash(pattern)))
}

// cause is an error of the file system without the path that the sentence has
// already.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
