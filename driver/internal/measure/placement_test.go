package measure

import (
	"strings"
	"testing"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/suite"
)

func cpus(t *testing.T, list string) cpuset.Set {
	t.Helper()
	set, err := cpuset.Parse(list)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestChoosePlacement(t *testing.T) {
	for _, test := range []struct {
		name                        string
		server, upstream, generator string // as the suite says
		allowed                     string
		helpers                     bool
		want                        string // server upstream generator
		shared                      bool
		fault                       string
	}{
		{name: "one CPU", allowed: "0", want: "0 0 0", shared: true},
		{name: "two", allowed: "0-1", want: "0 0 1"},
		{name: "two with an upstream", allowed: "0-1", helpers: true, want: "0 0 1"},
		// The lower half of five is two, the upper three.
		{name: "five", allowed: "0-4", want: "0-1 0-1 2-4"},
		{name: "sixteen with an upstream", allowed: "0-15", helpers: true, want: "0-3 4-7 8-15"},
		{name: "all said", server: "0-3", upstream: "4-7", generator: "8-15", allowed: "0-31", helpers: true, want: "0-3 4-7 8-15"},
		{name: "server said", server: "0-3", allowed: "0-7", want: "0-3 0-3 4-7"},
		{name: "server said, with an upstream", server: "0-3", allowed: "0-7", helpers: true, want: "0-3 0-3 4-7"},
		{name: "generator said", generator: "0-1", allowed: "0-7", helpers: true, want: "2-4 5-7 0-1"},
		{name: "server and upstream said", server: "0", upstream: "1", allowed: "0-3", helpers: true, want: "0 1 2-3"},
		{name: "upstream said", upstream: "0", allowed: "0-3", helpers: true, fault: "for the server"},
		{name: "overlap", server: "0-1", generator: "1-2", allowed: "0-3", want: "0-1 0-1 1-2", shared: true},
		{name: "outside", server: "6-9", allowed: "0-7", fault: "CPUs 8-9, this process may only use 0-7"},
		{name: "nothing left", server: "0-1", allowed: "0-1", fault: `leaves "0-1" for the server and "" for the generator`},
	} {
		t.Run(test.name, func(t *testing.T) {
			said := suite.Placement{Server: cpus(t, test.server), Upstream: cpus(t, test.upstream), Generator: cpus(t, test.generator)}
			p, err := ChoosePlacement(said, cpus(t, test.allowed), test.helpers)
			if test.fault != "" {
				if err == nil || !strings.Contains(err.Error(), test.fault) {
					t.Errorf("%v, want %s", err, test.fault)
				}
				return
			}
			got := p.Server.String() + " " + p.Upstream.String() + " " + p.Generator.String()
			if err != nil || got != test.want || p.Shared != test.shared {
				t.Errorf("%s, shared %t, %v; want %s, %t", got, p.Shared, err, test.want, test.shared)
			}
		})
	}
}

func TestSets(t *testing.T) {
	p := Placement{Server: cpus(t, "0"), Upstream: cpus(t, "0"), Generator: cpus(t, "1")}
	if sets := p.Sets(); len(sets) != 2 || sets[0].Name != "server" || sets[1].Name != "generator" {
		t.Errorf("%v", sets)
	}
	p.Upstream = cpus(t, "2")
	if sets := p.Sets(); len(sets) != 3 || sets[1].Name != "upstream" {
		t.Errorf("%v", sets)
	}
}

func TestSeats(t *testing.T) {
	for _, test := range []struct {
		name      string
		instances suite.Instances
		workers   int
		cpus      string
		want      string // CPUs/workers/label of each
	}{
		{"one server", suite.Instances{}, 0, "0-3", "0-3/4/"},
		{"workers said", suite.Instances{}, 2, "0-3", "0-3/2/"},
		{"multi", suite.Instances{Count: 3, Layout: suite.Multi, ID: "gw"}, 0, "2-5", "2/1/gw1 3/1/gw2 4/1/gw3"},
		{"multi on fewer CPUs", suite.Instances{Count: 3, Layout: suite.Multi}, 0, "0-1", "0/1/1 1/1/2 0/1/3"},
		{"single", suite.Instances{Count: 3, Layout: suite.Single, ID: "gw"}, 0, "2-5", "2-4/3/gw1"},
		{"single on fewer CPUs", suite.Instances{Count: 3, Layout: suite.Single}, 0, "1", "1/3/1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, s := range seats(suite.Variant{Workers: test.workers, Instances: test.instances}, cpus(t, test.cpus)) {
				got = append(got, s.cpus.String()+"/"+itoa(s.workers)+"/"+s.label)
			}
			if text := strings.Join(got, " "); text != test.want {
				t.Errorf("%s, want %s", text, test.want)
			}
		})
	}
}

// Free ports are not those that the kernel gives to connections.
func TestServable(t *testing.T) {
	for _, test := range []struct {
		text        string
		first, last int
	}{
		{"32768\t60999\n", 10000, 32767},
		{"", 10000, 32767},
		{"1024\t60999\n", 61000, 65535},
		{"1024\t65535\n", 10000, 65535}, // nothing is beside it
		{"10500\t65535\n", 10000, 65535},
		{"11000\t65535\n", 10000, 10999},
	} {
		if first, last := servable(test.text); first != test.first || last != test.last {
			t.Errorf("%q: %d to %d, want %d to %d", test.text, first, last, test.first, test.last)
		}
	}
}

// One scenario's helper is another's, too, or they cannot have one server.
func TestHelpers(t *testing.T) {
	upstream := suite.Helper{Name: "upstream", Command: []string{"scalbench", "target"}}
	other := suite.Helper{Name: "upstream", Command: []string{"other"}}
	app := suite.Helper{Name: "app", Command: []string{"php-fpm"}}
	s := &suite.Suite{Helpers: []suite.Helper{app}}
	same := []suite.Scenario{{Name: "a", Helpers: []suite.Helper{upstream}}, {Name: "b"}, {Name: "c", Helpers: []suite.Helper{upstream}}}
	helpers, err := Helpers(s, same)
	if err != nil || len(helpers) != 2 || helpers[0].Name != "app" || helpers[1].Name != "upstream" || len(s.Helpers) != 1 {
		t.Errorf("%v, %v", helpers, err)
	}
	_, err = Helpers(s, append(same, suite.Scenario{Name: "d", Helpers: []suite.Helper{other}}))
	if err == nil || !strings.Contains(err.Error(), "scenario d: its helper upstream") {
		t.Errorf("%v", err)
	}
}
