package suite

import (
	"slices"

	"github.com/goccy/go-yaml/ast"
)

var suiteKeys = keyTable{
	what: "a suite",
	known: []string{"suite", "about", "params", "target", "host", "placement", "plan", "quiet", "require", "variants",
		"scenarios", "compare", "gate", "profile", "helpers", "varies"},
	must: []string{"suite", "scenarios"},
	hints: map[string]string{
		"name": `a suite has its name under the key "suite"`,
		"cpus": `it is "placement"`,
	},
}

// placed is a scenario with its reader and the nodes that checks across keys point
// at.
type placed struct {
	Scenario
	in                                                      *reader
	nameAt, urlAt, httpAt, tlsAt, caAt, streamsAt, marginAt ast.Node // nil when the key is missing
}

// parts are what a suite is made of until the checks across it are done.
type parts struct {
	scenarios []placed
	variants  []placedVariant
	pairs     []pair
	helpers   []placedHelper
	quiet     *field
	host      *hostFile // nil: the suite names no file of one
	preset    Preset
	orderSaid bool

	interleaveAt ast.Node // nil: not said
}

// suite reads the root of the file.
func (r *reader) suite(root ast.Node) *Suite {
	fields := r.fields(root, suiteKeys)
	s := &Suite{Plan: DefaultPlan()}
	p := parts{preset: Presets()[0]}
	r.ahead(root, fields, s)
	for _, f := range fields {
		switch f.key {
		case "suite":
			s.Name = r.name(f)
		case "about":
			s.About = r.sentence(f)
		case "host":
			s.Host, p.host = r.host(f)
		case "placement":
			s.Placement = r.placement(f)
		case "plan":
			s.Plan, p.preset, p.orderSaid, p.interleaveAt = r.plan(f)
		case "quiet":
			p.quiet = &f
		case "require":
			s.Require = r.require(f)
		case "variants":
			r.entriesOf(f, "a variant", func(r *reader, n ast.Node) { p.variants = append(p.variants, r.variant(n)) })
		case "scenarios":
			r.entriesOf(f, "a scenario", func(r *reader, n ast.Node) { p.scenarios = append(p.scenarios, r.scenario(n)) })
		case "compare":
			p.pairs = r.compare(f)
		case "gate":
			s.Gate = r.gate(f)
		case "profile":
			s.Profile = r.profile(f)
		case "helpers":
			p.helpers = r.placedHelpers(f)
		case "varies":
			s.Varies = r.varies(f)
		}
	}
	r.complete(s, &p)
	return s
}

// ahead reads what the meaning of the other keys depends on.
func (r *reader) ahead(root ast.Node, fields []field, s *Suite) {
	for _, f := range fields {
		switch f.key {
		case "params":
			s.Params = r.params(f)
		case "target":
			s.Target = choice(r, f, option[Target]{word: "embedded", value: TargetEmbedded})
		case "variants":
			r.job.hasVariants = true
		}
	}
	r.checkGiven(root, s.Params)
	r.job.params, r.job.target = s.Params, s.Target
}

// complete checks what spans several keys, and fills the suite.
func (r *reader) complete(s *Suite, p *parts) {
	s.Quiet = r.quiet(p.quiet, p.preset)
	if p.host != nil {
		p.host.underSuite(s, p)
	}
	if s.Gate.Policy == NonInferior && !p.orderSaid {
		s.Plan.Order = Counterbalanced
	}
	checkNames(p.scenarios)
	checkMargins(s.Gate.Policy, p.scenarios)
	checkTarget(s.Target, r.job.hasVariants, p.scenarios)
	checkVariants(p.variants)
	checkPorts(p.variants, p.scenarios)
	s.Compare = r.checkPairs(p.pairs, p.variants)
	checkHelpers(p)
	if s.Plan.Interleave == Sliced && p.interleaveAt != nil {
		r.checkSliced(s, p)
	}
	r.job.checkWords(p)
	for _, sc := range p.scenarios {
		s.Scenarios = append(s.Scenarios, sc.Scenario)
	}
	for _, v := range p.variants {
		s.Variants = append(s.Variants, v.Variant)
	}
	for _, h := range p.helpers {
		s.Helpers = append(s.Helpers, h.Helper)
	}
	s.Named = slices.Clone(s.Helpers)
	for _, sc := range s.Scenarios {
		for _, h := range sc.Helpers {
			if !slices.ContainsFunc(s.Named, func(named Helper) bool { return named.Name == h.Name }) {
				s.Named = append(s.Named, h)
			}
		}
	}
}
