package gate

import (
	"math"
	"math/rand/v2"
	"slices"

	gonum "gonum.org/v1/gonum/stat"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/stat"
)

// pseudoGates is how many gates are drawn from the pairs of a variant and its twin.
const pseudoGates = 2000

// Gates of a program against itself are drawn out of one that was measured: its pairs are
// dealt anew to the rounds, and which run of a pair is called new is chosen by lot, for
// between a program and itself it could have been either. So they have the noise of the
// pairs, and not the ratio that these happened to have. Pairs are dealt like cards, none a
// second time before all were: of runs that were drawn twice the spread would be too
// small, and parity would seem to fail half as often again.
//
// Where rounds differ by more than their pairs do, or pairs resemble the ones before, it
// is whole rounds that are drawn.

// deck deals pairs by their numbers.
type deck struct {
	random *rand.Rand
	order  []int
	dealt  int
}

func newDeck(pairs int, seed stat.Seed) *deck {
	d := &deck{random: rand.New(rand.NewPCG(seed[0], seed[1])), order: make([]int, pairs)}
	for i := range d.order {
		d.order[i] = i
	}
	d.dealt = pairs
	return d
}

// round deals so many pairs, of which none is there twice unless there are too few.
func (d *deck) round(runs int) []int {
	if d.dealt+runs > len(d.order) {
		d.dealt = 0
		d.random.Shuffle(len(d.order), func(i, j int) { d.order[i], d.order[j] = d.order[j], d.order[i] })
	}
	hand := make([]int, runs)
	for i := range hand {
		hand[i] = d.order[(d.dealt+i)%len(d.order)]
	}
	d.dealt += runs
	return hand
}

// swaps chooses by lot which run of a pair is called new.
func (d *deck) swaps() bool { return d.random.Uint64()&1 == 0 }

// drawing draws whole gates, with everything that a policy looks at.
type drawing struct {
	rounds [][]runPair
	pairs  []runPair // of all rounds
	whole  bool
	deck   *deck
}

// runPair are the two runs of a pair.
type runPair struct{ base, new record.Measurement }

// newDrawing takes the pairs of a row.
func newDrawing(n *Numbers, whole bool, seed stat.Seed) *drawing {
	d := &drawing{whole: whole}
	for _, r := range n.Rounds {
		d.rounds = append(d.rounds, levelled(r))
	}
	d.pairs = slices.Concat(d.rounds...)
	d.deck = newDeck(len(d.pairs), seed)
	return d
}

// levelled returns the pairs of a round with every number as a multiple of the round's:
// pairs of two rounds stand beside each other in one that is drawn, and the level of the
// host on the day would be noise that no round has.
func levelled(r RoundNumbers) []runPair {
	pairs := make([]runPair, len(r.Base))
	for i := range pairs {
		pairs[i] = runPair{r.Base[i], r.New[i]}
	}
	for _, number := range []func(*record.Measurement) *record.Value{
		func(m *record.Measurement) *record.Value { return &m.RPS },
		func(m *record.Measurement) *record.Value { return &m.P99Millis },
		func(m *record.Measurement) *record.Value { return &m.P999Millis },
		func(m *record.Measurement) *record.Value { return &m.CPUMicros },
		func(m *record.Measurement) *record.Value { return &m.RSSKiB },
	} {
		level(pairs, number)
	}
	return pairs
}

// level takes the mean of a round out of one number, on the ln scale. What is left of the
// middles of its K pairs varies less than they do, by 1/K: it is stretched, or the spread
// would be too small for the differences, which stay what they are.
func level(pairs []runPair, number func(*record.Measurement) *record.Value) {
	var middles []float64
	for i := range pairs {
		base, new := number(&pairs[i].base).OrNaN(), number(&pairs[i].new).OrNaN()
		if !(base > 0 && new > 0) {
			return // not measured in some run: no gate has it
		}
		middles = append(middles, (math.Log(base)+math.Log(new))/2)
	}
	stretch := 0.0
	if k := float64(len(pairs)); k > 1 {
		stretch = math.Sqrt(k / (k - 1))
	}
	mean := gonum.Mean(middles, nil)
	for i := range pairs {
		middle := math.Exp((middles[i] - mean) * stretch)
		for _, m := range []*record.Measurement{&pairs[i].base, &pairs[i].new} {
			*number(m) = record.Of(number(m).OrNaN() / math.Exp(middles[i]) * middle)
		}
	}
}

// gate draws one of so many rounds and runs.
func (d *drawing) gate(metric Metric, rounds, runs int) Numbers {
	n := Numbers{Metric: metric}
	for range rounds {
		s := roundSample{round: &record.Round{}}
		if d.whole {
			swap := d.deck.swaps()
			for _, p := range d.rounds[d.deck.random.IntN(len(d.rounds))] {
				s.add(p, swap)
			}
		} else {
			for _, i := range d.deck.round(runs) {
				s.add(d.pairs[i], d.deck.swaps())
			}
		}
		n.Rounds = append(n.Rounds, measureRound(s))
	}
	n.combine()
	return n
}

// add takes a pair, or the pair turned round.
func (s *roundSample) add(p runPair, swap bool) {
	if swap {
		p.base, p.new = p.new, p.base
	}
	s.base, s.new = append(s.base, p.base), append(s.new, p.new)
}

// falseAlarms draws so many gates, and counts what rules say of them.
func (d *drawing) falseAlarms(gates int, metric Metric, rounds, runs int, rules []Rule) []record.FalseAlarm {
	all := make([]record.FalseAlarm, len(rules))
	for i, rule := range rules {
		all[i].Policy = rule.Policy.String()
	}
	for range gates {
		n := d.gate(metric, rounds, runs)
		for i, rule := range rules {
			switch Decide(n, rule).Verdict {
			case Fail:
				all[i].Fail++
			case Pass:
				all[i].Pass++
			}
		}
	}
	for i := range all {
		all[i].Fail /= float64(gates)
		all[i].Pass /= float64(gates)
	}
	return all
}

// floorShare is the share of gates of a program against itself whose ratio stays below
// the noise floor.
const floorShare = 0.95

// floors are the noise floors of tables of 1, 2, … rounds of so many runs, each of so many
// gates drawn from the differences of pairs: once by pairs, and where there are several
// rounds once by whole rounds, of which the higher counts, whatever rounds add of their
// own. A twin that is surely better or worse shows that it matters where a program lies, or
// what it is called: no floor is below that.
func (p *paired) floors(gates int, e *Effect, rounds, runs int, seed stat.Seed) []float64 {
	if len(p.all) == 0 {
		return nil
	}
	least := 0.0
	if e.Lo > 1+guard || e.Hi < 1-guard {
		least = math.Abs(math.Log(e.Ratio))
	}
	cards := newDeck(len(p.all), seed)
	floors := make([]float64, rounds)
	for i := range floors {
		floors[i] = max(least, highest(gates, func() []float64 { return p.dealPairs(cards, (i+1)*runs) }))
		if p.check.Rounds > 1 {
			floors[i] = max(floors[i], highest(gates, func() []float64 { return p.dealRounds(cards, i+1) }))
		}
	}
	return floors
}

// highest is what floorShare of so many centres stay below.
func highest(gates int, draw func() []float64) float64 {
	sizes := make([]float64, gates)
	for i := range sizes {
		if centre, err := stat.HodgesLehmann(draw()); err == nil { // a pair without a number is none
			sizes[i] = math.Abs(centre)
		}
	}
	slices.Sort(sizes)
	return sizes[int(math.Ceil(floorShare*float64(gates)))-1]
}

// dealPairs draws the differences of so many pairs, each either way round.
func (p *paired) dealPairs(cards *deck, pairs int) []float64 {
	drawn := make([]float64, pairs)
	for k, i := range cards.round(pairs) {
		drawn[k] = signOf(cards.swaps()) * p.all[i]
	}
	return drawn
}

// dealRounds draws those of so many rounds, each either way round as a whole.
func (p *paired) dealRounds(cards *deck, rounds int) []float64 {
	var drawn []float64
	for range rounds {
		sign := signOf(cards.swaps())
		for _, d := range p.rounds[cards.random.IntN(len(p.rounds))] {
			drawn = append(drawn, sign*d)
		}
	}
	return drawn
}

// signOf is what swapping does to a difference.
func signOf(swap bool) float64 {
	if swap {
		return -1
	}
	return 1
}
