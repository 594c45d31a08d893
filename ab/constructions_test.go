package ab

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/scalws/scalbench/internal/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// construction is a way to make an interval that is looked at again and again: by how
// many standard errors it reaches, for blocks of which n count as independent, when a
// part of the time is over. Inf: not looked at now.
type construction struct {
	name  string
	times func(n, part float64) float64

	// The pairs are taken for independent: no blocks.
	unblocked bool
}

// half is how far the interval of a finding reaches.
func (c construction) half(f finding, part float64) float64 {
	if !c.unblocked {
		return c.times(f.blocks.Independent, part) * f.blocks.SE
	}
	n := float64(len(f.influence))
	return c.times(n, part) * math.Sqrt(f.spread/n)
}

func student(level, n float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(1 - level)
}

// tuned is the prior of the mixtures, in blocks.
const tuned = 2

// constructions are what was chosen and what it was chosen from.
func constructions() []construction {
	const alpha = DefaultAlpha
	watched := func(n, part float64) float64 {
		times, err := stat.WatchedBound(alpha, part, n)
		if err != nil {
			return math.Inf(1)
		}
		return times
	}
	return []construction{
		{name: "chosen: Wang-Tsiatis 0.35 without gaps", times: watched},
		{name: "the same without blocks", times: watched, unblocked: true},
		// Effects N(0, 1/tuned) of a standard deviation that has the right Haar prior: a
		// confidence sequence without an end, exact for independent normal blocks (Lai
		// 1976, Wang and Ramdas 2025).
		{name: "mixture of t, open end", times: func(n, _ float64) float64 {
			k := tuned / (tuned + n)
			r := math.Pow(1/(alpha*math.Sqrt(k)), 2/n)
			if r*k >= 1 {
				return math.Inf(1)
			}
			return math.Sqrt((n - 1) * (r - 1) / (1 - r*k))
		}},
		// The same with the variance taken for known (Robbins 1970; Howard and others
		// 2021): the asymptotic sequence of Waudby-Smith and others (2024).
		{name: "mixture of normals, asymptotic", times: func(n, _ float64) float64 {
			return math.Sqrt((n + tuned) / n * math.Log((n+tuned)/(tuned*alpha*alpha)))
		}},
		{name: "Lan-DeMets, O'Brien-Fleming", times: spending(func(t float64) float64 {
			spent, _ := stat.OBF.Spent(t, alpha/2)
			return spent
		})},
		{name: "Lan-DeMets, Pocock", times: spending(func(t float64) float64 { return alpha / 2 * math.Log(1+(math.E-1)*t) })},
		{name: "none: the interval of one moment", times: func(n, _ float64) float64 { return student(alpha/2, n) }},
	}
}

// spending looks after a tenth of the time and then a quarter later each time, with the
// increments of a spending function of one side as levels: by the union bound the
// error is at most alpha.
func spending(spent func(t float64) float64) func(n, part float64) float64 {
	var looks []float64
	for t := 0.1; t < 1; t *= 1.25 {
		looks = append(looks, t)
	}
	looks = append(looks, 1)
	return func(n, part float64) float64 {
		for i, t := range looks {
			if part < t-1e-9 || part > t+1.0/300-1e-9 { // the first unit from then on; there are 300
				continue
			}
			before := 0.0
			if i > 0 {
				before = spent(looks[i-1])
			}
			return student(spent(t)-before, n)
		}
		return math.Inf(1)
	}
}

// judged is what became of one construction in many measurements.
type judged struct {
	outcomes
	name string
}

// compete lets all constructions judge the same measurements, of a minute each.
func compete(t *testing.T, n int, h host, ratio float64, r Rule) []judged {
	t.Helper()
	all := constructions()
	became := make([]judged, len(all))
	for i, c := range all {
		became[i] = judged{outcomes{n: n}, c.name}
	}
	for i := range n {
		j, err := NewJudge(r)
		if err != nil {
			t.Fatal(err)
		}
		next := pairs(rand.New(rand.NewPCG(10, uint64(i))), h, ratio)
		decided := make([]bool, len(all))
		for j.at < j.rule.Max {
			if err := j.Add(next()); err != nil {
				t.Fatal(err)
			}
			how := j.measuring()
			if how.elapsed < firstTime || j.pairs%2 == 1 {
				continue
			}
			f := how.centre(j.units.rps)
			part := how.elapsed.Seconds() / how.longest.Seconds()
			for k, c := range all {
				f.half = c.half(f, part)
				v := verdictOf(f, j.rule.Margin)
				if decided[k] || v == CannotTell {
					continue
				}
				decided[k] = true
				became[k].atS = append(became[k].atS, how.elapsed.Seconds())
				switch v {
				case Slower:
					became[k].slower++
				case Faster:
					became[k].faster++
				case Same:
					became[k].same++
				}
			}
		}
	}
	return became
}

// Looking again and again at an interval of one moment calls equal servers different in
// a fifth of all measurements; the one that was chosen does not. Where it is asked to,
// the test prints what the others do.
func TestConstructions(t *testing.T) {
	n := measurements(t, 60)
	became := compete(t, n, hosts["white, noisy"], 1, Rule{Margin: 0.005})
	chosen, none := became[0], became[len(became)-1]
	atMost(t, chosen.name, chosen.slower+chosen.faster, n, DefaultAlpha)
	if wrong := none.slower + none.faster; wrong < n/6 {
		t.Errorf("%s: %d of %d called different: the test shows nothing", none.name, wrong, n)
	}
	if os.Getenv("SCALBENCH_SIMULATIONS") == "" {
		return
	}
	for _, test := range []struct {
		host   string
		loss   float64
		margin float64
	}{
		{"white, calm", 0, 0.005}, {"white, noisy", 0, 0.005}, {"white, noisy", 0, 0.01}, {"correlated, 0.3 s", 0, 0.005}, {"correlated, 1 s", 0, 0.005},
		{"two speeds of each server, 1 s", 0, 0.005}, {"stalls", 0, 0.005},
		{"white, calm", 0.01, 0.01}, {"white, noisy", 0.01, 0.01}, {"white, noisy", 0.02, 0.01}, {"white, noisy", 0.05, 0.01},
	} {
		t.Logf("%s, loss %s, margin %s", test.host, percent(test.loss), percent(test.margin))
		for _, b := range compete(t, n/2, hosts[test.host], 1-test.loss, Rule{Margin: test.margin}) {
			t.Logf("    %-40s %v", b.name, b.outcomes)
		}
	}
}

// CPU per request as a control variate takes out of rps what the host did and what B
// does worse: of a planted loss of 2 % nothing is left. As the metric that is judged it
// is worth as much as it is quieter.
func TestCPUAsControl(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: a simulation")
	}
	r := rand.New(rand.NewPCG(10, 10))
	var rps, cpu, controlled []float64
	for range 3000 { // 10 minutes of units
		// The server is the limit: rps is what its CPU time allows, and the host's share
		// of that CPU is rps's alone.
		c := -math.Log(1-0.02) + 0.4*calm*r.NormFloat64()
		d := -c + calm*r.NormFloat64()
		rps, cpu = append(rps, d), append(cpu, c)
	}
	// The coefficient that leaves least noise is that of the regression of rps on CPU.
	mr, mc := mean(rps), mean(cpu)
	covered, squares := 0.0, 0.0
	for i := range rps {
		covered += (rps[i] - mr) * (cpu[i] - mc)
		squares += (cpu[i] - mc) * (cpu[i] - mc)
	}
	for i := range rps {
		controlled = append(controlled, rps[i]-covered/squares*cpu[i])
	}
	t.Logf("rps %.2f %%, with CPU as control %.2f %%, CPU itself %.2f %%", 100*mean(rps), 100*mean(controlled), 100*mean(cpu))
	if got := mean(controlled); math.Abs(got) > 0.003 {
		t.Errorf("a loss of 2 %% is %.2f %% with CPU as a control variate, want about none", -100*got)
	}
}

func mean(x []float64) float64 { return sum(x) / float64(len(x)) }
