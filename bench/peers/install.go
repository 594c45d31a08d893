package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// recipe is one way to install a program.
type recipe struct {
	tool string   // the program that installs, looked up in PATH
	args []string // cachePlaceholder in them is the cache folder
	env  []string // added to the environment; likewise
	root bool     // only the superuser may run it
}

// cachePlaceholder stands for the cache folder in a recipe.
const cachePlaceholder = "CACHE"

// aptRecipe installs a package of Debian, for the whole host.
func aptRecipe(packageName string) recipe {
	return recipe{tool: "apt-get", args: []string{"install", "--yes", "--no-install-recommends", packageName}, root: true}
}

// goRecipe compiles the command of a module, "PATH@VERSION".
func goRecipe(module string) recipe {
	return recipe{tool: "go", args: []string{"install", module}, env: []string{"GOBIN=" + binDir(cachePlaceholder)}}
}

// cargoRecipe compiles a crate with the dependencies that its author locked.
func cargoRecipe(crate, version string, features ...string) recipe {
	args := []string{"install", crate, "--locked", "--version", version}
	if len(features) > 0 {
		args = append(args, "--features", strings.Join(features, ","))
	}
	return recipe{tool: "cargo", args: append(args, "--root", cachePlaceholder)}
}

// String is the command as a person would type it.
func (r recipe) String() string {
	words := append([]string{}, r.env...)
	return strings.Join(append(append(words, r.tool), r.args...), " ")
}

// in returns the recipe for a cache folder.
func (r recipe) in(cache string) recipe {
	fill := func(texts []string) []string {
		var filled []string
		for _, text := range texts {
			filled = append(filled, strings.ReplaceAll(text, cachePlaceholder, cache))
		}
		return filled
	}
	return recipe{tool: r.tool, args: fill(r.args), env: fill(r.env), root: r.root}
}

// surroundings is what an installation depends on.
type surroundings struct {
	// found returns where a program is, "" if it is nowhere. It takes names
	// and paths.
	found func(program string) string
	root  bool
	cache string // "" if there can be none
}

// installable is a peer or a server.
type installable interface {
	named
	program() string
	install() string
	recipes() []recipe
}

// decision is what -install does about one of them: run the first recipe that
// works, or nothing, and why.
type decision struct {
	name    string
	recipes []recipe
	why     string // of nothing
}

// decide looks at one of them. It depends on the arguments alone.
func decide(p installable, s surroundings) decision {
	d := decision{name: p.name()}
	if at := s.found(p.program()); at != "" {
		d.why = "is there: " + at
		return d
	}
	if len(p.recipes()) == 0 {
		d.why = "cannot be installed from here: " + p.install()
		return d
	}
	var obstacles []string
	for _, r := range p.recipes() {
		obstacle := ""
		switch {
		case s.found(r.tool) == "":
			obstacle = "no " + r.tool
		case r.root && !s.root:
			obstacle = "needs root: " + r.String()
		case !r.root && s.cache == "":
			obstacle = "no cache folder: neither XDG_CACHE_HOME nor HOME is set"
		}
		if obstacle == "" {
			d.recipes = append(d.recipes, r.in(s.cache))
		} else if len(obstacles) == 0 || obstacles[len(obstacles)-1] != obstacle {
			obstacles = append(obstacles, obstacle)
		}
	}
	if len(d.recipes) == 0 {
		d.why = "cannot be installed: " + strings.Join(obstacles, "; ")
	}
	return d
}

// surroundingsHere are those of this process.
func surroundingsHere(cache string) surroundings {
	return surroundings{
		found: func(program string) string {
			path, err := exec.LookPath(program)
			if err != nil {
				return ""
			}
			return path
		},
		root:  os.Geteuid() == 0,
		cache: cache,
	}
}

// installAll installs what is absent and can be installed, one after the other,
// and prints a line for each. What cannot be is no error; a recipe that was run
// and failed is, unless the next one worked.
func installAll(ctx context.Context, all []installable, s surroundings, stdout, stderr io.Writer) error {
	var failures []error
	for _, p := range all {
		d := decide(p, s)
		result := d.why
		if d.recipes != nil {
			var err error
			if result, err = cook(ctx, d.recipes, stderr); err != nil {
				failures = append(failures, fmt.Errorf("install %s: %w", d.name, err))
			}
		}
		if _, err := fmt.Fprintf(stdout, "%s %s\n", d.name, result); err != nil {
			return err
		}
	}
	return errors.Join(failures...)
}

// cook runs recipes until one works, and says which did. Their own output goes
// to stderr: compiling takes minutes, and silence looks like a hang.
func cook(ctx context.Context, recipes []recipe, stderr io.Writer) (result string, err error) {
	var failures []error
	for _, r := range recipes {
		cmd := exec.CommandContext(ctx, r.tool, r.args...)
		cmd.Env = append(os.Environ(), r.env...)
		cmd.Stdout, cmd.Stderr = stderr, stderr
		if _, err := fmt.Fprintln(stderr, "+", r); err != nil {
			return "", err
		}
		err := cmd.Run()
		if err == nil {
			result = "was installed: " + r.String()
			if failures != nil {
				result += fmt.Sprintf(" (before, %v)", errors.Join(failures...))
			}
			return result, nil
		}
		failures = append(failures, fmt.Errorf("%s: %w", r, err))
		if ctx.Err() != nil {
			break
		}
	}
	return "could not be installed", errors.Join(failures...)
}
