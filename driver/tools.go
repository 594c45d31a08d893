package driver

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/scalws/scalbench/internal/host"
	"github.com/scalws/scalbench/internal/suite"
)

// withTools adds to the facts of the moment which versions the programs have that a suite
// is measured with. Those of the variants are in the plan, by their files.
func (d *driver) withTools(ctx context.Context, facts host.Facts, s *suite.Suite) host.Facts {
	tools := toolsOf(s)
	if d.order.Syscalls || s.Profile.When != suite.ProfileNever {
		tools = append(tools, "perf")
	}
	if len(tools) == 0 {
		return facts
	}
	now := maps.Clone(facts.Now)
	if now == nil {
		now = map[string]string{}
	}
	maps.Copy(now, d.rig.tools(ctx, tools))
	facts.Now = now
	return facts
}

// toolsOf are the names of programs beside the variants' own: what the suite says that the
// host must have, and what helpers are. A shell is none, and what has a path is the
// suite's and need not know how to say a version.
func toolsOf(s *suite.Suite) []string {
	var tools []string
	add := func(names ...string) {
		for _, name := range names {
			if name != "sh" && name != ownProgram && !strings.Contains(name, "/") && !slices.Contains(tools, name) {
				tools = append(tools, name)
			}
		}
	}
	helpers := slices.Clone(s.Helpers)
	for _, v := range s.Variants {
		add(v.Programs...)
	}
	for _, sc := range s.Scenarios {
		add(sc.Programs...)
		helpers = append(helpers, sc.Helpers...)
	}
	for _, h := range helpers {
		add(h.Command[0])
		add(h.Programs...)
	}
	return tools
}
