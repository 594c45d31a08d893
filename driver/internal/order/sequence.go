package order

import (
	"math/rand/v2"

	"github.com/scalws/scalbench/internal/suite"
)

// sequenceOf returns the order of n variants, by their places in the suite, in a run of
// a round; both count from 1.
func sequenceOf(p suite.Plan, n, round, run int) []int {
	switch p.Order {
	case suite.Counterbalanced:
		return counterbalanced(p, n, round, run)
	case suite.Random:
		return rand.New(rand.NewPCG(p.Seed, uint64(round)<<32|uint64(run))).Perm(n)
	}
	return rotated(n, round-1+run-1)
}

// rotated begins with variant (k + i) mod n in run k of round i, all of them counted
// from 0. Without i a round of five runs would begin three times with the first of two
// variants, in every round.
func rotated(n, from int) []int {
	sequence := make([]int, n)
	for i := range sequence {
		sequence[i] = (from + i) % n
	}
	return sequence
}

// counterbalanced goes through a design block by block, in an order of its sequences
// that is drawn for each block: of two variants a coin says which is first in the first
// run of a pair, and the second run is the other way round.
//
// Blocks go on from round to round. A round of five runs has two pairs and one half;
// the next round begins with the other half, so that over the rounds no variant is first
// more than once oftener than another.
func counterbalanced(p suite.Plan, n, round, run int) []int {
	design := williams(n)
	done := (round-1)*p.Runs + run - 1 // runs before this one
	block, place := done/len(design), done%len(design)
	drawn := rand.New(rand.NewPCG(p.Seed, uint64(block))).Perm(len(design))
	return design[drawn[place]]
}
