package ab

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

// The simulations draw measurements from fixed seeds and count how often the verdict is
// wrong, and when it falls. `make simulate` draws twenty times as many and prints the
// tables of docs/METHOD.md.

// measurements returns how many to draw where few are enough to notice a fault.
func measurements(t *testing.T, few int) int {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: a simulation of hundreds of measurements")
	}
	if times, err := strconv.Atoi(os.Getenv("SCALBENCH_SIMULATIONS")); err == nil {
		return few * times
	}
	return few
}

// outcomes are what became of many measurements.
type outcomes struct {
	n                    int
	slower, faster, same int
	within, exceeded     int
	byTotals             int
	inside               int       // the interval at the end has the truth
	atS                  []float64 // when it was decided, where it was
	forecastS            []float64 // the first that was made
	hopeless             int       // said so within 10 s
}

// share is in percent.
func (o outcomes) share(k int) float64 { return 100 * float64(k) / float64(o.n) }

// quantileS returns when so large a share of all was decided; +Inf when it never was.
func (o outcomes) quantileS(q float64) float64 {
	slices.Sort(o.atS)
	if i := int(math.Ceil(q*float64(o.n))) - 1; i < len(o.atS) {
		return o.atS[i]
	}
	return math.Inf(1)
}

func (o outcomes) String() string {
	return fmt.Sprintf("slower %5.1f %%  faster %4.1f %%  same %5.1f %%  decided in the median after %3.0f s, 19 of 20 after %3.0f s",
		o.share(o.slower), o.share(o.faster), o.share(o.same), o.quantileS(0.5), o.quantileS(0.95))
}

// simulate draws measurements of a host until each is decided, at most r.Max long,
// looking after every pair.
func simulate(t *testing.T, n int, h host, ratio float64, r Rule) outcomes {
	t.Helper()
	all := outcomes{n: n}
	var mu sync.Mutex
	var working sync.WaitGroup
	for worker := range 2 {
		working.Go(func() {
			for i := worker; i < n; i += 2 {
				s, forecast, early := measureOnce(t, rand.New(rand.NewPCG(10, uint64(i))), h, ratio, r)
				mu.Lock()
				all.count(s, ratio)
				all.forecastS = append(all.forecastS, forecast.Seconds())
				if early {
					all.hopeless++
				}
				mu.Unlock()
			}
		})
	}
	working.Wait()
	return all
}

// measureOnce returns the state at the end, the first forecast, and whether within 10 s
// it was said that there is not enough time.
func measureOnce(t *testing.T, random *rand.Rand, h host, ratio float64, r Rule) (s State, forecast time.Duration, early bool) {
	j, err := NewJudge(r)
	if err != nil {
		t.Error(err)
		return s, 0, false
	}
	next := pairs(random, h, ratio)
	for {
		if err := j.Add(next()); err != nil {
			t.Error(err)
			return s, 0, false
		}
		if j.pairs%2 == 1 && j.at < j.rule.Max {
			continue // it waits for its other half, and nothing has changed
		}
		s = j.State()
		if forecast == 0 {
			forecast = s.MarginNeeds
		}
		early = early || s.Elapsed <= 10*time.Second && s.Hopeless() != ""
		if s.Decided || s.Over {
			return s, forecast, early
		}
	}
}

func (o *outcomes) count(s State, ratio float64) {
	switch s.Verdict {
	case Slower:
		o.slower++
	case Faster:
		o.faster++
	case Same:
		o.same++
	}
	switch s.Loss {
	case LossWithin:
		o.within++
	case LossExceeded:
		o.exceeded++
	}
	if s.Decided {
		o.atS = append(o.atS, s.Elapsed.Seconds())
	}
	if s.RPS.Lo <= ratio && ratio <= s.RPS.Hi {
		o.inside++
	}
	if s.ByTotals {
		o.byTotals++
	}
}

// atMost fails when so many of n are more than a probability explains: the bound is three
// standard deviations of the binomial above it.
func atMost(t *testing.T, what string, k, n int, p float64) {
	t.Helper()
	if bound := float64(n)*p + 3*math.Sqrt(float64(n)*p*(1-p)); float64(k) > bound {
		t.Errorf("%s: %d of %d, at most %.0f expected", what, k, n, bound)
	}
}

// Two equal servers are called different at most as often as alpha says, whatever the
// host does, as long as what it does to one server alone does not last for seconds.
// Half the usual margin takes longer, and so gives more occasions to be wrong.
func TestFalseAlarms(t *testing.T) {
	n := measurements(t, 50)
	margins := []float64{DefaultMargin / 2}
	if os.Getenv("SCALBENCH_SIMULATIONS") != "" {
		margins = append(margins, DefaultMargin)
	}
	for _, margin := range margins {
		wrong := 0
		for _, name := range slices.Sorted(maps.Keys(hosts)) {
			o := simulate(t, n, hosts[name], 1, Rule{Margin: margin})
			t.Logf("margin %-5s  %-34s %v; by totals %.1f %%", percent(margin), name, o, o.share(o.byTotals))
			atMost(t, name+": equal servers called different", o.slower+o.faster, n, DefaultAlpha)
			wrong += o.slower + o.faster
		}
		if all := n * len(hosts); float64(wrong) > DefaultAlpha*float64(all) {
			t.Errorf("%d of %d equal servers called different", wrong, all)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(untold)) {
		o := simulate(t, n, untold[name], 1, Rule{Margin: 0.005})
		t.Logf("beyond reach: %-20s %v", name, o)
	}
}

// Losses are called, and in time, 19 of 20 of them: 2 % within 60 s, 1 % too, but in a
// noisy minute within 180 s, 5 % within 10 s, but then within 12 s. The interval at the
// end has the truth in at least 18 of 20.
func TestPower(t *testing.T) {
	for _, test := range []struct {
		host    string
		loss    float64
		withinS float64
	}{
		{"white, calm", 0.05, 10}, {"white, noisy", 0.05, 12}, {"stalls", 0.05, 10}, {"bursts of the host", 0.05, 10},
		{"white, calm", 0.02, 60}, {"white, noisy", 0.02, 60}, {"stalls", 0.02, 60}, {"bursts of the host", 0.02, 60}, {"correlated, 0.3 s", 0.02, 60},
		{"white, calm", 0.01, 60}, {"white, noisy", 0.01, 180}, {"stalls", 0.01, 60}, {"bursts of the host", 0.01, 60}, {"correlated, 0.3 s", 0.01, 60},
	} {
		n := measurements(t, 40)
		o := simulate(t, n, hosts[test.host], 1-test.loss, Rule{Max: max(DefaultMax, time.Duration(test.withinS)*time.Second)})
		t.Logf("%4s  %-20s %v; interval right %.1f %%", percent(test.loss), test.host, o, o.share(o.inside))
		if at := o.quantileS(0.95); at > test.withinS {
			t.Errorf("loss of %v, %s: 19 of 20 are called within %v s, want %v", test.loss, test.host, at, test.withinS)
		}
		if float64(o.slower) < 0.95*float64(n) || o.inside < n*9/10 {
			t.Errorf("loss of %v, %s: %v of %v called slower, %v intervals right", test.loss, test.host, o.slower, n, o.inside)
		}
	}
}

// A host that is too noisy for the margin is told of within 10 s, and by when it could
// be decided. Half of the measurements that are planned so long are decided, at least.
func TestForecast(t *testing.T) {
	n := measurements(t, 16)
	rule := Rule{Margin: 0.005}
	o := simulate(t, n, hosts["white, noisy"], 1, rule)
	slices.Sort(o.forecastS)
	median := o.forecastS[n/2]
	if o.hopeless < n*9/10 {
		t.Errorf("%d of %d are said to be hopeless within 10 s", o.hopeless, n)
	}
	rule.Max = time.Duration(median * float64(time.Second))
	long := simulate(t, n, hosts["white, noisy"], 1, rule)
	t.Logf("forecast %3.0f s (%.0f to %.0f); so long: %v", median, o.forecastS[n/10], o.forecastS[n*9/10], long)
	if long.same < n/2 {
		t.Errorf("planned for the %.0f s of the forecast: %v", median, long)
	}
}

// With a greatest loss, what is asked is whether more is lost. Exactly so much is called
// more or less in one measurement of twenty at most.
func TestMaxLoss(t *testing.T) {
	n := measurements(t, 40)
	rule := Rule{MaxLoss: 0.03}
	for _, test := range []struct{ loss, within, exceeded float64 }{ // shares, at least
		{0, 1, 0}, {0.02, 0.95, 0}, {0.04, 0, 0.95}, {0.06, 0, 1}, {0.03, 0, 0},
	} {
		o := simulate(t, n, hosts["white, calm"], 1-test.loss, rule)
		t.Logf("loss %4s: within %5.1f %%, exceeded %5.1f %%, 19 of 20 after %.0f s", percent(test.loss), o.share(o.within), o.share(o.exceeded), o.quantileS(0.95))
		if f := float64(n); float64(o.within) < test.within*f || float64(o.exceeded) < test.exceeded*f {
			t.Errorf("loss of %v: %d within, %d exceeded of %d", test.loss, o.within, o.exceeded, n)
		}
		if test.loss == rule.MaxLoss {
			atMost(t, "a loss of exactly the greatest", o.within+o.exceeded, n, DefaultAlpha)
		}
	}
}

// A server that stops for 40 ms once a second loses 4 %, although most of its slices are
// as fast as the other's: the totals find it.
func TestRareSlices(t *testing.T) {
	n := measurements(t, 40)
	o := simulate(t, n, pausing, 1, Rule{})
	t.Logf("%v; by totals %.0f %%", o, o.share(o.byTotals))
	if float64(o.slower) < 0.9*float64(n) || o.byTotals < n*3/4 {
		t.Errorf("%d of %d slower, %d by totals", o.slower, n, o.byTotals)
	}
}
