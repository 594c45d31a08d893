package main

import (
	"debug/buildinfo"
	"fmt"
	"runtime/debug"
)

// moduleBuild is of what a Go program was made.
type moduleBuild struct {
	version   string // of the module that was asked for: "v1.2.6"
	goVersion string // of the compiler: "go1.26.8"
}

// readModuleBuild reads it from the program's file, for a module that the program
// is of, or imports. Programs that "go install" builds often cannot tell their
// version themselves.
func readModuleBuild(path, module string) (moduleBuild, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return moduleBuild{}, err
	}
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if m.Path == module {
			return moduleBuild{version: m.Version, goVersion: info.GoVersion}, nil
		}
	}
	return moduleBuild{}, fmt.Errorf("%s is not made of %s", path, module)
}
