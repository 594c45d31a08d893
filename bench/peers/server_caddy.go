package main

import (
	"context"
	"errors"
	"fmt"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/scalws/scalbench/bench"
)

// caddy is caddyserver/caddy as its module is, without plugins. Its HTTP/3 is
// quic-go's.
type caddy struct {
	path string
}

// One version of it is measured, so that figures of two hosts are of one server.
const (
	caddyModule  = "github.com/caddyserver/caddy/v2"
	caddyVersion = "v2.11.9"
)

// caddyConfig is where bench.Files has it.
const caddyConfig = "configs/caddy/Caddyfile"

func (caddy) name() string      { return "caddy" }
func (c caddy) program() string { return c.path }
func (c caddy) install() string { return c.recipes()[0].String() }
func (caddy) recipes() []recipe {
	return []recipe{goRecipe(caddyModule + "/cmd/caddy@" + caddyVersion)}
}

// version is read from the file: the program says "unknown" unless its own
// release script built it.
func (c caddy) version() string {
	made, err := readModuleBuild(c.path, caddyModule)
	if err != nil {
		return firstLine(c.path, "version")
	}
	return "caddy " + made.version + ", " + made.goVersion
}

// locateCaddy returns the path of a Caddy of caddyVersion: in the cache folder,
// in PATH, or where "go install" puts programs. Another version, as a
// distribution has it, is passed by; of none, the path is where -install would
// put it.
func locateCaddy(cache string) string {
	places := []string{locate(cache, "caddy"), locate("", "caddy")}
	for _, dir := range filepath.SplitList(build.Default.GOPATH) {
		places = append(places, filepath.Join(dir, "bin", "caddy"))
	}
	for _, path := range places {
		if made, err := readModuleBuild(path, caddyModule); err == nil && made.version == caddyVersion {
			return path
		}
	}
	return filepath.Join(binDir(cache), "caddy")
}

func (c caddy) start(ctx context.Context, at site) (*instance, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(at.scratchDir, "caddy")
	config, err := writeCaddyFiles(dir)
	if err != nil {
		return nil, fmt.Errorf("configure caddy: %w", err)
	}
	cmd := exec.CommandContext(ctx, c.path, "run", "--adapter", "caddyfile", "--config", config)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), caddyEnvironment(at, dir, port)...)
	cmd.Stderr = os.Stderr
	if err := startPinned(cmd, at.cpu); err != nil {
		return nil, err
	}
	// It is one process, and is killed: asked to end, it waits for its clients.
	return &instance{cmd: cmd, site: at, baseURL: at.url(port)}, nil
}

// writeCaddyFiles makes a folder with the configuration and the files to serve.
func writeCaddyFiles(dir string) (config string, err error) {
	text, err := bench.Files.ReadFile(caddyConfig)
	if err != nil {
		return "", err
	}
	config = filepath.Join(dir, filepath.Base(caddyConfig))
	return config, errors.Join(writeWWW(filepath.Join(dir, "www")), os.WriteFile(config, text, 0o644))
}

// caddyEnvironment is what the configuration wants, and keeps what Caddy writes
// beside it. Of CPUs it has one, and one thread of Go for that.
func caddyEnvironment(at site, dir string, port int) []string {
	return []string{
		"PORT=" + strconv.Itoa(port),
		"CERTIFICATE=" + at.certificate(),
		"PRIVATE_KEY=" + at.key(),
		"WWW=" + filepath.Join(dir, "www"),
		"HOME=" + dir,
		"XDG_CONFIG_HOME=" + filepath.Join(dir, "config"),
		"XDG_DATA_HOME=" + filepath.Join(dir, "data"),
		"GOMAXPROCS=1",
	}
}
