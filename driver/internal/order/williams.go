package order

import "slices"

// williams returns the sequences of a Williams design of n variants: each is in every
// place equally often, and directly after every other equally often. That takes n
// sequences for an even n, and for an odd one 2n, the second half of which are the first
// backwards. For 2 they are AB and BA. Source: E. J. Williams, "Experimental designs
// balanced for the estimation of residual effects of treatments", 1949.
func williams(n int) [][]int {
	first := zigzag(n)
	var design [][]int
	for shift := range n {
		sequence := make([]int, n)
		for i, v := range first {
			sequence[i] = (v + shift) % n
		}
		design = append(design, sequence)
	}
	if n%2 == 0 || n == 1 {
		return design
	}
	for _, sequence := range design[:n:n] {
		backwards := slices.Clone(sequence)
		slices.Reverse(backwards)
		design = append(design, backwards)
	}
	return design
}

// zigzag is 0, 1, n-1, 2, n-2, ...: the distances between neighbours are all different,
// so that its shifts have every pair of neighbours once.
func zigzag(n int) []int {
	sequence := make([]int, n)
	low, high := 1, n-1
	for i := 1; i < n; i++ {
		if i%2 == 1 {
			sequence[i] = low
			low++
		} else {
			sequence[i] = high
			high--
		}
	}
	return sequence
}
