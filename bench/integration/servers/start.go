package servers

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// Start starts a server of a kind, and stops it with the test. Settings replace
// those of its kind and those of [Certificates.Settings]. A program that is not
// installed skips the test.
func (s *Site) Start(t testing.TB, name string, settings map[string]string) *Server {
	t.Helper()
	if name == Go {
		return s.startGo(t)
	}
	k, ok := kindCalled(name)
	if !ok {
		t.Fatalf("no kind of server is called %q", name)
	}
	program := FindProgram(t, k.name, k.install)
	for range 3 { // a free port may be taken before the server has it
		server, err := s.try(k, program, settings)
		if err == nil {
			t.Cleanup(server.stop)
			return server
		}
		if !errors.Is(err, ErrPortTaken) {
			t.Fatal(err)
		}
	}
	t.Fatal(ErrPortTaken)
	return nil
}

func (s *Site) try(k kind, program string, settings map[string]string) (*Server, error) {
	dir, err := os.MkdirTemp(s.dir, k.name+"-*")
	if err != nil {
		return nil, err
	}
	free, err := FreePorts(3)
	if err != nil {
		return nil, err
	}
	on := ports{h1: free[0], h2c: free[1], tls: free[2]}
	values := map[string]string{
		"dir": dir, "www": s.www(),
		"port_h1": strconv.Itoa(on.h1), "port_h2c": strconv.Itoa(on.h2c), "port_tls": strconv.Itoa(on.tls),
		"port_backend": strconv.Itoa(s.backend.ports.h1),
	}
	maps.Copy(values, s.Certificates.Settings())
	maps.Copy(values, k.settings)
	for name, value := range settings {
		if _, ok := values[name]; !ok {
			return nil, fmt.Errorf("%s has no setting %q", k.name, name)
		}
		values[name] = value
	}
	config, err := s.writeConfig(k, dir, values)
	if err != nil {
		return nil, err
	}
	process, err := StartProcess(exec.Command(program, k.args(dir, config)...), dir, free...)
	if err != nil {
		return nil, err
	}
	return &Server{
		ports:  on,
		stop:   process.Stop,
		finish: func() error { return process.Finish(k.finish) },
		log:    func() ([]Line, error) { return readLog(filepath.Join(dir, accessLog), k.notices) },
	}, nil
}

// writeConfig fills the kind's configuration in and returns its path.
func (s *Site) writeConfig(k kind, dir string, values map[string]string) (path string, err error) {
	template := filepath.Join(s.configs, k.name, "protocols.conf")
	text, err := os.ReadFile(template)
	if err != nil {
		return "", err
	}
	filled, err := fill(string(text), values)
	if err != nil {
		return "", fmt.Errorf("%s: %w", template, err)
	}
	path = filepath.Join(dir, "protocols.conf")
	// The folder is made for its owner alone, and those who serve are others.
	return path, errors.Join(os.Chmod(dir, 0o755), os.WriteFile(path, []byte(filled), 0o644))
}
