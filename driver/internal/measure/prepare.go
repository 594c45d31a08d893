package measure

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/scalws/scalbench/internal/certs"
	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/serverproc"
	"github.com/scalws/scalbench/internal/suite"
)

// processDir is where one process has its files, while it runs.
type processDir struct {
	path string // logs and the configuration; it may read there
	run  string // {dir}; it may write there
}

// runDir is what the latter is called.
const runDir = "run"

// makeDir makes the directories of a process that runs as a user, "" for ourselves.
func (r *Running) makeDir(name, asUser string) (processDir, error) {
	d := processDir{path: filepath.Join(r.dir, name)}
	d.run = filepath.Join(d.path, runDir)
	for _, path := range []string{d.path, d.run} {
		if err := makeReadable(path); err != nil {
			return d, err
		}
	}
	return d, giveTo(asUser, d.run)
}

// makeReadable makes a directory that all may read, whatever the umask: workers of a
// server often are another user than it.
func makeReadable(path string) error {
	if err := os.Mkdir(path, 0o755); err != nil {
		return err
	}
	return os.Chmod(path, 0o755)
}

// giveTo makes a user the owner of files; "" leaves them ours. Only root can.
func giveTo(name string, paths ...string) error {
	if name == "" || os.Geteuid() != 0 {
		return nil // who we are already, or the start will say that it cannot be
	}
	uid, gid, err := ownerOf(name)
	if err != nil {
		return fmt.Errorf("user %q: %w", name, err)
	}
	for _, path := range paths {
		if err := os.Chown(path, uid, gid); err != nil {
			return err
		}
	}
	return nil
}

// ownerOf looks a user up by name or number. A number without an entry, as in a container,
// has the group of the same number.
func ownerOf(name string) (uid, gid int, err error) {
	entry, err := user.Lookup(name)
	if number, numberErr := strconv.Atoi(name); numberErr == nil {
		if entry, err = user.LookupId(name); err != nil {
			return number, number, nil
		}
	}
	if err != nil {
		return 0, 0, err
	}
	uid, uidErr := strconv.Atoi(entry.Uid)
	gid, gidErr := strconv.Atoi(entry.Gid)
	return uid, gid, errors.Join(uidErr, gidErr)
}

// writeConfig writes the configuration of an expanded variant into its directory.
func (b *Bench) writeConfig(v suite.Variant, d processDir) (path string, text []byte, err error) {
	if v.Config.From == "" {
		return "", nil, nil
	}
	source, known := b.config.Suite.Source(v.Config.From)
	if !known {
		if source, err = os.ReadFile(v.Config.From); err != nil {
			return "", nil, fmt.Errorf("variant %s: config: %w", v.Name, err)
		}
	}
	if text, err = v.Config.Effective(source); err != nil {
		return "", nil, err
	}
	path = d.configPath(v)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return "", nil, err
	}
	return path, text, os.Chmod(path, 0o644) // whatever the umask
}

// configPath is where the configuration of a variant goes; "" when it has none.
func (d processDir) configPath(v suite.Variant) string {
	if v.Config.From == "" {
		return ""
	}
	return filepath.Join(d.path, filepath.Base(v.Config.From))
}

// certificate puts the session's certificate and its key where the process may read them,
// when it asks for either; else both are "". All servers of a session have the same.
func (b *Bench) certificate(d processDir, asUser string, command []string, env []suite.EnvVar, edits []suite.Edit) (cert, key string, err error) {
	wanted := slices.ContainsFunc(command, namesCertificate) ||
		slices.ContainsFunc(env, func(v suite.EnvVar) bool { return namesCertificate(v.Value) }) ||
		slices.ContainsFunc(edits, func(e suite.Edit) bool { return namesCertificate(e.Value) })
	if !wanted {
		return "", "", nil
	}
	made, err := b.madeCerts()
	if err != nil {
		return "", "", err
	}
	dir := filepath.Join(d.path, "tls")
	if err := makeReadable(dir); err != nil {
		return "", "", err
	}
	if err := made.Write(dir); err != nil {
		return "", "", err
	}
	cert, key = filepath.Join(dir, certs.CertFile), filepath.Join(dir, certs.KeyFile)
	return cert, key, giveTo(asUser, cert, key)
}

// namesCertificate reports whether a text has one of the placeholders.
func namesCertificate(text string) bool {
	return strings.Contains(text, "{cert}") || strings.Contains(text, "{key}")
}

// madeCerts makes the session's certificate when it is first wanted, for the usual names
// and those that scenarios ask for.
func (b *Bench) madeCerts() (*certs.Set, error) {
	if b.certs != nil {
		return b.certs, nil
	}
	names := certs.DefaultNames()
	for _, sc := range b.config.Suite.Scenarios {
		if sc.TLS.SNI != "" && !slices.Contains(names, sc.TLS.SNI) {
			names = append(names, sc.TLS.SNI)
		}
	}
	made, err := certs.Make(certs.Request{Names: names}, time.Now())
	if err != nil {
		return nil, fmt.Errorf("certificate of the session: %w", err)
	}
	b.certs = made
	return made, nil
}

// ourCommand is what a suite calls this program.
const ourCommand = "scalbench"

// spec says how a process is started. Its working directory is ours, so that arguments mean
// what they would in a shell.
func (b *Bench) spec(name string, command []string, set []suite.EnvVar, asUser string, d processDir, cpus cpuset.Set) (serverproc.Spec, error) {
	spec := serverproc.Spec{
		Name: name, Command: slices.Clone(command), User: asUser, CPUs: cpus,
		Stdout: filepath.Join(d.path, "stdout.log"), Stderr: filepath.Join(d.path, "stderr.log"),
		Supervisor: []string{b.config.Exe, "supervise"}, NofileMax: nofileFor(b.config.Suite),
	}
	if command[0] == ourCommand {
		spec.Command[0], spec.StdinOpen = b.config.Exe, true
	}
	env := serverproc.Environment{Host: b.config.Environ, User: asUser, Session: b.config.Session, Seed: b.config.Seed + b.starts}
	for _, variable := range set {
		env.Set = append(env.Set, variable.Name+"="+variable.Value)
	}
	var err error
	if spec.Env, err = env.List(); err != nil {
		return spec, fmt.Errorf("%s: %w", name, err)
	}
	return spec, nil
}

const (
	nofileUsual  = 1024  // what a shell gives: enough where nobody asks for more
	nofileMuch   = 65536 // given then, unless that is still too few
	nofileBeside = 512   // what a server has open beside connections
)

// nofileFor is the soft limit of open files of the servers and helpers of a suite; 0: that
// of whoever runs the session. The limit is the same for all of a session, so that it is
// no difference between variants.
func nofileFor(s *suite.Suite) uint64 {
	connections := 0
	for _, sc := range s.Scenarios {
		connections = max(connections, sc.Connections)
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return nofileOf(connections, limit.Cur, limit.Max)
}

// nofileOf is that for so many connections of the generator, of which a proxy has twice as
// many, by the limits of this process. It is as much as the hard limit lets: where that has
// not one file for each connection the examination refuses the host, and where it has not two
// it says so.
func nofileOf(connections int, soft, hard uint64) uint64 {
	need := uint64(2*connections + nofileBeside)
	if need <= nofileUsual && need <= soft {
		return 0
	}
	return min(max(need, nofileMuch), hard)
}

// isPath reports whether a scenario is asked at the variant's own port.
func isPath(sc suite.Scenario) bool { return strings.HasPrefix(sc.URL, "/") }
