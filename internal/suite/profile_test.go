package suite

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/internal/profile"
)

const profiledSuite = `suite: a
scenarios: [{name: x, url: "http://127.0.0.1/"}]
profile: `

func TestProfile(t *testing.T) {
	tests := []struct {
		text string
		want Profile
	}{
		{"on-fail", Profile{When: ProfileOnFail}},
		{"always", Profile{When: ProfileAlways}},
		{"{when: never}", Profile{}},
		{`{when: always, hz: 499, measure: 10s, keep_data: true, groups: {sandbox: "seccomp|landlock", lua: {modules: ^libluajit}, enter: {symbols: ^entry_, leaf: true}}}`,
			Profile{When: ProfileAlways, Hz: 499, Measure: 10 * time.Second, KeepData: true, Groups: []profile.Group{
				{Name: "sandbox", Symbols: "seccomp|landlock"}, {Name: "lua", Modules: "^libluajit"}, {Name: "enter", Symbols: "^entry_", Leaf: true}}}},
	}
	for _, test := range tests {
		s, err := Parser{}.Parse("a.yaml", []byte(profiledSuite+test.text+"\n"))
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if diff := cmp.Diff(test.want, s.Profile); diff != "" {
			t.Errorf("%s: %s", test.text, diff)
		}
	}
}

func TestProfileFaults(t *testing.T) {
	tests := []struct{ text, want string }{
		{"sometimes", `profile: "sometimes", expected always, on-fail or never`},
		{"{when: true}", `when: "true", expected always`},
		{"{hz: 10}", "expected a whole number from 11 to 9973"},
		{"{measure: 1ms}", "expected a duration from 1s to 10m0s"},
		{"{groups: {a: (}}", `profile: group "a": error parsing regexp`},
		{"{groups: {a: {leaf: true}}}", `group "a": no expression`},
		{"{groups: {own code: x}}", "that is what no group knows"},
		{"{group: {}}", `unknown key "group" in profile; did you mean "groups"?`},
		{"{groups: {a: {pattern: x}}}", `it is "symbols"`},
	}
	for _, test := range tests {
		_, err := Parser{}.Parse("a.yaml", []byte(profiledSuite+test.text+"\n"))
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "a.yaml:3:") {
			t.Errorf("%s: %v, want %q on line 3", test.text, err, test.want)
		}
	}
}

// Samples are taken for as long as a round measures, but never for a moment nor for minutes,
// unless the suite says so.
func TestProfileSpan(t *testing.T) {
	for _, test := range []struct{ of, measure, want time.Duration }{
		{0, 100 * time.Millisecond, 5 * time.Second}, {0, 10 * time.Second, 10 * time.Second}, {0, 30 * time.Second, 20 * time.Second}, {time.Minute, time.Second, time.Minute},
	} {
		if got := (Profile{Measure: test.of}).Span(Plan{Measure: test.measure}); got != test.want {
			t.Errorf("%v of a plan with %v: %v, want %v", test.of, test.measure, got, test.want)
		}
	}
}
