package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/scalws/scalbench/internal/serverproc"
	"github.com/scalws/scalbench/internal/suite"
)

// Twin is how a variant runs that is another one under a second name. The zero value
// runs as the suite says, from the same file.
type Twin struct {
	// Program is the path, without symbolic links, of the file of which it runs a copy, at
	// a path of another length: another inode, and another layout of its memory. "": it
	// runs the same file.
	Program string
	// Argument is the place in the command that names the program, behind a wrapper; 0:
	// the command is the program.
	Argument int
	// Name is what a wrapper executes it by, looked up in PATH, in which the copy comes
	// first; "": none does.
	Name string

	// BurdenFrac is the share of each of the server's CPUs that a spin loop takes; 0:
	// none.
	BurdenFrac float64
}

// copyPrograms makes the copies of the programs of twins, by variant. Every user may
// execute them.
func copyPrograms(twins map[string]Twin, work string) (map[string]string, error) {
	copies := map[string]string{}
	for variant, twin := range twins {
		if twin.Program == "" {
			continue
		}
		dir := filepath.Join(work, "program-of-"+variant)
		if err := makeReadable(dir); err != nil {
			return nil, fmt.Errorf("copy the program of %s: %w", variant, err)
		}
		// Its own name, by which tools and logs know it.
		copies[variant] = filepath.Join(dir, cmp.Or(twin.Name, filepath.Base(twin.Program)))
		if err := copyFile(copies[variant], twin.Program); err != nil {
			return nil, fmt.Errorf("copy the program of %s: %w", variant, err)
		}
	}
	return copies, nil
}

func copyFile(to, from string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, source)
	return errors.Join(err, file.Chmod(0o755), file.Close()) // whatever the umask
}

// runCopy makes the server of a twin run its copy. Its arguments stay what they are:
// that the path of its program differs is the point, and no difference of the variants.
func (b *Bench) runCopy(spec *serverproc.Spec, variant string) {
	copy, twin := b.copies[variant], b.config.Twins[variant]
	switch {
	case copy == "":
	case twin.Name != "":
		for i, variable := range spec.Env {
			if path, is := strings.CutPrefix(variable, "PATH="); is {
				spec.Env[i] = "PATH=" + pathOf(copy) + path
			}
		}
	case twin.Argument == 0:
		spec.Program = copy
	default:
		spec.Command[twin.Argument] = copy
	}
}

// pathOf is what makes a program the first in PATH.
func pathOf(program string) string { return filepath.Dir(program) + string(filepath.ListSeparator) }

// addTwinPlace makes the file of which a twin runs a copy a place: where a command has its
// path, the twin is still called so.
func (b *Bench) addTwinPlace(places serverproc.Places, variant string) {
	if twin := b.config.Twins[variant]; twin.Program != "" {
		places[twin.Program] = "{exe}"
		places[pathOf(b.copies[variant])] = ""
	}
}

// burdenName is what the burden is called among the helpers.
const burdenName = "burden"

// startBurden starts a spin loop on the server's CPUs. It is a helper, so that it is not
// taken for somebody else's, and it ends with its supervisor.
func (b *Bench) startBurden(ctx context.Context, r *Running, frac float64) error {
	dir, err := r.makeDir(burdenName, "")
	if err != nil {
		return err
	}
	said := suite.Helper{Name: burdenName, CPUs: suite.WithServer, Command: []string{ourCommand, "burden", "--share", strconv.FormatFloat(frac, 'f', -1, 64)}}
	spec, err := b.spec(burdenName, said.Command, nil, "", dir, b.placement.Server)
	if err != nil {
		return err
	}
	h := &helper{Helper: said, said: said, logs: newLogs(burdenName, dir, suite.LogRules{}, nil)}
	if h.server, err = serverproc.Start(ctx, spec); err != nil {
		return err
	}
	r.helpers = append(r.helpers, h)
	return nil
}
