package target

import (
	"testing"

	"github.com/scalws/scalbench/internal/cpuset"
)

func TestPlace(t *testing.T) {
	for _, test := range []struct{ cpus, server, upstream string }{
		{"0", "0", "0"}, // one CPU, or the lower one of two: shared
		{"0-1", "0", "1"},
		{"0-2", "0", "1-2"}, // the odd one is the upstream's
		{"0-7", "0-3", "4-7"},
		{"2,5,9,11", "2,5", "9,11"},
	} {
		t.Run(test.cpus, func(t *testing.T) {
			cpus, err := cpuset.Parse(test.cpus)
			if err != nil {
				t.Fatal(err)
			}
			if server, upstream := Place(cpus); server.String() != test.server || upstream.String() != test.upstream {
				t.Errorf("server %s, upstream %s; want %s, %s", server, upstream, test.server, test.upstream)
			}
		})
	}
}
