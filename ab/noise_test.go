package ab

import (
	"math"
	"math/rand/v2"
	"time"
)

// A host is what disturbs two equal servers: it returns ln rps of a slice that begins
// so many seconds after the beginning, of server 0 or 1, as the first or the second of
// its pair. Slices are asked for in the order of time.
type host func(r *rand.Rand) func(at float64, server int, first bool) float64

// calm is the standard deviation of ln rps of a slice of 50 ms in a calm minute: the
// differences of pairs then have √2·1.24 % = 1.75 %, and the trimmed mean of 150 of them,
// in 15 s, 1.75 %/√(0.91·150) = 0.15 %. noisy is the same for 0.5 %.
const (
	calm  = 0.0124
	noisy = 0.0413
)

// slow switches between two states that last so many seconds on average.
type slow struct {
	fastS, slowS float64
	is           bool
	until        float64
}

func (s *slow) at(r *rand.Rand, at float64) bool {
	for at >= s.until {
		s.is = !s.is || s.until == 0 && r.Float64() < s.fastS/(s.fastS+s.slowS)
		if s.is {
			s.until += s.slowS * r.ExpFloat64()
		} else {
			s.until += s.fastS * r.ExpFloat64()
		}
	}
	return s.is
}

var hosts = map[string]host{
	"white, calm":  white(calm),
	"white, noisy": white(noisy),
	"heavy tails": func(r *rand.Rand) func(float64, int, bool) float64 {
		return func(float64, int, bool) float64 {
			if r.Float64() < 0.1 {
				return 5 * calm * r.NormFloat64()
			}
			return calm * r.NormFloat64()
		}
	},
	// One slice in twenty loses 10 to 80 % of its requests.
	"stalls": func(r *rand.Rand) func(float64, int, bool) float64 {
		return func(float64, int, bool) float64 {
			x := calm * r.NormFloat64()
			if r.Float64() < 0.05 {
				x += math.Log(0.2 + 0.7*r.Float64())
			}
			return x
		}
	},
	// 20 % less in a minute, a wave of 5 % in 4 s, and a walk of 3 % in a second.
	"drift": func(r *rand.Rand) func(float64, int, bool) float64 {
		walk, last, phase := 0.0, 0.0, 2*math.Pi*r.Float64()
		return func(at float64, _ int, _ bool) float64 {
			walk += 0.03 * math.Sqrt(at-last) * r.NormFloat64()
			last = at
			return walk - 0.2*at/60 + 0.05*math.Sin(phase+2*math.Pi*at/4) + calm*r.NormFloat64()
		}
	},
	// For 0.3 s, every 2 s, everything is 10 to 50 % slower and four times as noisy.
	"bursts of the host": func(r *rand.Rand) func(float64, int, bool) float64 {
		s, depth := slow{fastS: 2, slowS: 0.3}, 0.3
		return func(at float64, _ int, _ bool) float64 {
			was := s.is
			if !s.at(r, at) {
				return calm * r.NormFloat64()
			}
			if !was {
				depth = 0.1 + 0.4*r.Float64()
			}
			return math.Log(1-depth) + 4*calm*r.NormFloat64()
		}
	},
	"bursts of each server": func(r *rand.Rand) func(float64, int, bool) float64 {
		s := [2]slow{{fastS: 2, slowS: 0.3}, {fastS: 2, slowS: 0.3}}
		return func(at float64, server int, _ bool) float64 {
			if s[server].at(r, at) {
				return math.Log(0.75) + 2*calm*r.NormFloat64()
			}
			return calm * r.NormFloat64()
		}
	},
	"two speeds of the host": func(r *rand.Rand) func(float64, int, bool) float64 {
		s := slow{fastS: 1, slowS: 1}
		return func(at float64, _ int, _ bool) float64 {
			if s.at(r, at) {
				return -0.07 + calm*r.NormFloat64()
			}
			return calm * r.NormFloat64()
		}
	},
	"two speeds of slices": func(r *rand.Rand) func(float64, int, bool) float64 {
		return func(float64, int, bool) float64 {
			x := calm * r.NormFloat64()
			if r.Float64() < 0.3 {
				x -= 0.07
			}
			return x
		}
	},
	"two speeds of each server, 0.3 s": speeds(0.3, 0.05),
	"two speeds of each server, 1 s":   speeds(1, 0.03),
	"correlated, 0.3 s":                correlated(0.3),
	"correlated, 1 s":                  correlated(1),
	// Each server collects garbage for a tenth of its 0.9 and 0.97 s, 15 % slower.
	"rhythms of each server": func(r *rand.Rand) func(float64, int, bool) float64 {
		phase := [2]float64{r.Float64(), r.Float64()}
		return func(at float64, server int, _ bool) float64 {
			periodS := [2]float64{0.9, 0.97}[server]
			collected := func(untilS float64) float64 { // seconds
				whole, part := math.Modf(untilS/periodS + phase[server])
				return (whole/10 + min(part, 0.1)) * periodS
			}
			return math.Log(1-0.15*(collected(at+sliceS)-collected(at))/sliceS) + calm*r.NormFloat64()
		}
	},
	// The noise is five times as large for 2 s of 6.
	"noise that comes and goes": func(r *rand.Rand) func(float64, int, bool) float64 {
		s := slow{fastS: 4, slowS: 2}
		return func(at float64, _ int, _ bool) float64 {
			if s.at(r, at) {
				return 5 * calm * r.NormFloat64()
			}
			return calm * r.NormFloat64()
		}
	},
	"the first of a pair is 2 % slower": func(r *rand.Rand) func(float64, int, bool) float64 {
		return func(_ float64, _ int, first bool) float64 {
			x := calm * r.NormFloat64()
			if first {
				x -= 0.02
			}
			return x
		}
	},
}

// pausing is B that stops for 40 ms every second or so, and A that does not.
func pausing(r *rand.Rand) func(at float64, server int, first bool) float64 {
	next := r.ExpFloat64()
	return func(at float64, server int, _ bool) float64 {
		x := calm * r.NormFloat64()
		if server == 0 {
			return x
		}
		for next+0.04 < at {
			next += 0.04 + 0.96*(0.5+r.Float64())
		}
		lost := max(0, min(at+sliceS, next+0.04)-max(at, next))
		return x + math.Log(1-lost/sliceS)
	}
}

// untold are hosts that nobody can tell from a difference in some seconds: what
// disturbs each server stays for that long.
var untold = map[string]host{
	"two speeds of each server, 3 s": speeds(3, 0.03),
	"correlated, 4 s":                correlated(4),
}

func white(sd float64) host {
	return func(r *rand.Rand) func(float64, int, bool) float64 {
		return func(float64, int, bool) float64 { return sd * r.NormFloat64() }
	}
}

// speeds has each server flip between two speeds, a gap apart, by itself.
func speeds(dwellS, gap float64) host {
	return func(r *rand.Rand) func(float64, int, bool) float64 {
		s := [2]slow{{fastS: dwellS, slowS: dwellS}, {fastS: dwellS, slowS: dwellS}}
		return func(at float64, server int, _ bool) float64 {
			x := calm * r.NormFloat64()
			if s[server].at(r, at) {
				x -= gap
			}
			return x
		}
	}
}

// correlated has each server wander by itself: most of its noise keeps to 1/e for so
// many seconds.
func correlated(forS float64) host {
	return func(r *rand.Rand) func(float64, int, bool) float64 {
		sd := 0.7 * calm
		own := [2]float64{sd * r.NormFloat64(), sd * r.NormFloat64()}
		var last [2]float64
		return func(at float64, server int, _ bool) float64 {
			keep := math.Exp(-(at - last[server]) / forS)
			own[server] = keep*own[server] + math.Sqrt(1-keep*keep)*sd*r.NormFloat64()
			last[server] = at
			return own[server] + 0.2*calm*r.NormFloat64()
		}
	}
}

const (
	sliceS = 0.05
	pairS  = 2 * sliceS
)

// pairs returns a source of pairs on a host, in quads ABBA and BAAB as a coin falls,
// where B has this share of A's rps.
func pairs(r *rand.Rand, h host, ratio float64) func() Pair {
	lnRPS := h(r)
	at, n, aFirst := 0.0, 0, false
	slice := func(server int, first bool) Slice {
		x := lnRPS(at, server, first)
		at += sliceS
		if server == 1 {
			x += math.Log(ratio)
		}
		return Slice{RPS: 10_000 * math.Exp(x), P50US: math.NaN(), P99US: math.NaN(), CPUMicros: math.NaN()}
	}
	return func() Pair {
		if n%2 == 0 {
			aFirst = r.Uint64()&1 == 0
		} else {
			aFirst = !aFirst
		}
		n++
		p := Pair{AFirst: aFirst}
		if aFirst {
			p.A, p.B = slice(0, true), slice(1, false)
		} else {
			p.B, p.A = slice(1, true), slice(0, false)
		}
		p.At = time.Duration(math.Round(at * 1e9))
		return p
	}
}
