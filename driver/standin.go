package driver

import (
	"slices"
	"strings"

	"github.com/scalws/scalbench/internal/suite"
)

// standInNote is what the plan of a session says in which the embedded target played
// every server, and with it whatever is made of its records.
const standInNote = "stand-in: the embedded target played every variant, so that no number is about their servers"

// standInFlag is on every row of such a session.
const standInFlag = "stand-in"

// standIn puts the embedded target in the place of every variant's server, so that a
// suite of servers which this host does not have can be run from end to end. What
// remains of the suite is its shape: variants, instances, scenarios with their loads,
// comparisons, the plan and the gate. Programs, configurations, users and CPUs go, and
// what is expected of processes and hosts.
//
// The suite has another name then, and the host its own, so that its results lie
// nowhere near those of the real thing.
func standIn(s *suite.Suite) {
	s.Name = strings.TrimRight(s.Name[:min(len(s.Name), 55)], "-.") + "-stand-in" // 64 characters at most
	s.Host, s.Placement, s.Require, s.Varies, s.Helpers = "", suite.Placement{}, nil, nil, nil
	for i := range s.Compare {
		s.Compare[i].SameOK = "the embedded target plays both variants"
	}
	for i := range s.Scenarios {
		s.Scenarios[i] = played(s.Scenarios[i])
	}
	if slices.ContainsFunc(s.Scenarios, asksUpstream) {
		s.Helpers = []suite.Helper{{Name: "upstream", Command: []string{ownProgram, "target"}}}
	}
	for i := range s.Variants {
		s.Variants[i] = playing(s.Variants[i], s)
	}
}

// played is a scenario as the embedded target plays it: by its path, or by the one that
// it has for this. One that the target has no route for needs that route, which no
// variant provides: it is not applicable, with this reason.
func played(sc suite.Scenario) suite.Scenario {
	if sc.StandIn != "" {
		sc.URL, sc.Expect.Bytes = sc.StandIn, nil // of another body
	}
	sc.Helpers, sc.Varies, sc.TLS.CA, sc.Needed = nil, nil, "", suite.Needed{}
	if !targetHas(sc) {
		sc.Needs = append(slices.Clone(sc.Needs), missingRoute+sc.URL)
	}
	return sc
}

// missingRoute begins what a scenario needs that the target has no route for; no name of
// a suite has a space.
const missingRoute = "route of the embedded target for "

// Routes of the embedded target, as internal/target has them.
var (
	wholeRoutes    = []string{"/respond", "/respond-1k", "/static-small", "/static-1m", "/delay-steps", "/stall", "/ok"}
	openRoutes     = []string{"/delay"}               // something may follow
	upstreamRoutes = []string{"/proxy", "/cache-hit"} // likewise; in cleartext alone
)

// targetHas tells whether the embedded target answers the path of a scenario.
func targetHas(sc suite.Scenario) bool {
	path, _, _ := strings.Cut(sc.URL, "?")
	return slices.Contains(wholeRoutes, path) || begins(path, openRoutes) || begins(path, upstreamRoutes) && !sc.TLS.On
}

// asksUpstream tells whether the target asks another one to answer a scenario.
func asksUpstream(sc suite.Scenario) bool {
	path, _, _ := strings.Cut(sc.URL, "?")
	return begins(path, upstreamRoutes)
}

// begins tells whether a path is one of the routes, or below one.
func begins(path string, routes []string) bool {
	return slices.ContainsFunc(routes, func(r string) bool { return path == r || strings.HasPrefix(path, r+"/") })
}

// playing is a variant with the embedded target as its server, at ports of its own.
func playing(v suite.Variant, s *suite.Suite) suite.Variant {
	was := "nothing"
	if len(v.Command) > 0 {
		was = strings.Join(v.Command, " ")
	}
	provides := v.Provides
	if provides == nil { // whatever is needed
		provides = []string{}
		for _, sc := range s.Scenarios {
			provides = append(provides, slices.DeleteFunc(slices.Clone(sc.Needs), func(need string) bool { return strings.HasPrefix(need, missingRoute) })...)
		}
	}
	played := suite.Variant{
		Name: v.Name, Command: []string{ownProgram, "stand-in"}, Provides: provides, Instances: v.Instances,
		Ready: suite.Ready{Timeout: v.Ready.Timeout}, Expect: suite.Identity{Grace: v.Expect.Grace},
		About: map[string]string{standInFlag: "the embedded target, instead of " + was},
	}
	for _, p := range v.Ports {
		switch p.Name {
		case "http":
			played.Command = append(played.Command, "--http", "127.0.0.1:{port.http}")
			played.Ready.URL = "http://127.0.0.1:{port.http}/ok"
			if len(s.Helpers) > 0 {
				played.Command = append(played.Command, "--upstream", "{upstream}")
			}
		case "https":
			played.Command = append(played.Command, "--https", "127.0.0.1:{port.https}", "--cert", "{cert}", "--key", "{key}")
			if slices.ContainsFunc(s.Scenarios, func(sc suite.Scenario) bool { return sc.HTTP == suite.HTTP3 }) {
				played.Command = append(played.Command, "--http3")
			}
		default:
			continue // its own affair
		}
		played.Ports = append(played.Ports, suite.Port{Name: p.Name})
	}
	if v.Instances.Layout == suite.Multi {
		played.Command = append(played.Command, "--reuse-port")
	}
	return played
}
