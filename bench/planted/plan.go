package main

import (
	"slices"
	"time"
)

// plan is one experiment.
type plan struct {
	name  string
	title string
	tries []try
	table func([]outcome) string
}

// experiments are those that were asked for, in the order in which they are listed here.
func experiments(o options) []plan {
	all := []plan{
		{"aa", "Equal servers, `scalbench ab`:", equalTries(4 * o.tries), tableOfEqual},
		{"losses", "Planted losses, `scalbench ab`:", lossTries(o.losses, o.tries), tableOfLosses},
		{"fresh", "Equal servers, each a process of its own:", freshTries(2 * o.tries), tableOfEqual},
		{"connections", "Equal servers for 10 s, connections renewed or not:", connectionTries(2 * o.tries), tableOfConnections},
		{"slices", "Equal servers for 20 s, by the length of a slice:", sliceTries(max(1, o.tries/2)), tableOfSlices},
		{"settle", "A loss of 2 % for 20 s, by how much of a slice is not counted:", settleTries(max(1, o.tries/2)), tableOfSettling},
		{"method", "Planted losses, sessions of 3 rounds of 3 runs of 2 s, policy parity:", sessionTries(o.losses, o.tries), tableOfSessions},
	}
	return slices.DeleteFunc(all, func(p plan) bool { return !slices.Contains(o.only, p.name) })
}

// equalTries may take 20 s each: an interval is as seldom wrong over 20 s as over a minute,
// and three tries say more of that than one.
func equalTries(n int) (tries []try) {
	for range n {
		tries = append(tries, try{margin: 0.01, max: 20 * time.Second})
	}
	return number(tries)
}

// lossTries alternate the losses, so that no loss has the calm minutes for itself.
func lossTries(losses []float64, n int) (tries []try) {
	for range n {
		for _, loss := range losses {
			tries = append(tries, lossTry(loss))
		}
	}
	return number(tries)
}

// lossTry asks in the way in which one would ask for a loss of that size: with a margin
// that it is not inside of, and, for those below 2 %, with more than the usual time.
func lossTry(loss float64) try {
	t := try{loss: loss, margin: 0.01, max: time.Minute}
	if loss < 0.02 {
		t.max = 3 * time.Minute
	}
	if loss < 0.01 {
		t.margin = loss / 2
	}
	return t
}

// freshTries are equal servers as well, but for where each process happens to lie.
func freshTries(n int) (tries []try) {
	for range n {
		tries = append(tries, try{fresh: true, margin: 0.01, max: time.Minute})
	}
	return number(tries)
}

// connectionTries go on to the end, in turns.
func connectionTries(n int) (tries []try) {
	for range n {
		for _, keep := range []bool{false, true} {
			tries = append(tries, try{keep: keep, margin: 0.0001, max: 10 * time.Second})
		}
	}
	return number(tries)
}

// sliceTries go on for as long as they may: there is hardly a margin to be inside of.
func sliceTries(n int) (tries []try) {
	for range n {
		for _, ms := range []int{20, 50, 100, 250, 1000} {
			tries = append(tries, try{margin: 0.0001, max: 20 * time.Second, slice: time.Duration(ms) * time.Millisecond})
		}
	}
	return number(tries)
}

// settleTries go on likewise, with a loss: what is counted too early would bend it.
func settleTries(n int) (tries []try) {
	for range n {
		for _, share := range []float64{0.02, 0.1, 0.2, 0.4, 0.6} {
			tries = append(tries, try{loss: 0.02, margin: 0.0001, max: 20 * time.Second, settle: share, maxLoss: 0.02})
		}
	}
	return number(tries)
}

// sessionTries are equal servers too: how often a method fails those belongs to how often
// it finds a loss.
func sessionTries(losses []float64, n int) (tries []try) {
	for range n {
		for _, loss := range append([]float64{0}, losses...) {
			tries = append(tries, try{loss: loss, session: true})
		}
	}
	return number(tries)
}

// number gives each try coins of its own.
func number(tries []try) []try {
	for i := range tries {
		tries[i].seed = uint64(i + 1)
	}
	return tries
}
