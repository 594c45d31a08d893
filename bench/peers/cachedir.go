package main

import (
	"os"
	"os/exec"
	"path/filepath"
)

// cacheDir is the folder that -install fills: scalbench/peers in the user's
// cache folder ($XDG_CACHE_HOME, or ~/.cache). It need not exist.
//
// A folder of the repository was rejected: "git clean" would throw away what
// took minutes to compile.
func cacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "scalbench", "peers"), nil
}

// binDir is where programs are in a cache folder: cargo adds "bin" to its
// --root and cannot be kept from it, so the others go there too.
func binDir(cache string) string { return filepath.Join(cache, "bin") }

// locate returns the path of a program: in the cache folder, else in PATH. A
// program that is in neither keeps its bare name. A cache folder of "" is none.
func locate(cache, program string) string {
	if cache != "" {
		if path, err := exec.LookPath(filepath.Join(binDir(cache), program)); err == nil {
			return path
		}
	}
	if path, err := exec.LookPath(program); err == nil {
		return path
	}
	return program
}
