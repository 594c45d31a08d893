package cpuset

import (
	"fmt"
	"math/bits"
)

// MaxCPUs is the number of CPUs a Set can hold, and one more than the highest
// CPU number. It is the size of the kernel's cpu_set_t as the C library and
// x/sys/unix know it; a kernel configured for more refuses affinity calls of
// this size, which [Allowed] reports.
const MaxCPUs = 1024

const wordBits = 64

// Set is a set of CPU numbers in [0, MaxCPUs). The zero value is the empty
// set. Sets are compared with ==; copying one copies 128 bytes.
type Set struct {
	words [MaxCPUs / wordBits]uint64
}

// Of returns the set of the given CPU numbers.
func Of(cpus ...int) (Set, error) {
	var s Set
	for _, cpu := range cpus {
		if err := s.Add(cpu); err != nil {
			return Set{}, err
		}
	}
	return s, nil
}

// Add puts a CPU into the set. A number outside [0, MaxCPUs) is an error and
// leaves the set as it was.
func (s *Set) Add(cpu int) error {
	if cpu < 0 || cpu >= MaxCPUs {
		return fmt.Errorf("cpu %d is outside 0-%d", cpu, MaxCPUs-1)
	}
	s.words[cpu/wordBits] |= 1 << (cpu % wordBits)
	return nil
}

// Count returns how many CPUs the set has.
func (s Set) Count() int {
	n := 0
	for _, word := range s.words {
		n += bits.OnesCount64(word)
	}
	return n
}

// Contains reports whether the CPU is in the set; a number no set can hold is
// in none.
func (s Set) Contains(cpu int) bool {
	return cpu >= 0 && cpu < MaxCPUs && s.words[cpu/wordBits]&(1<<(cpu%wordBits)) != 0
}

// CPUs returns the CPU numbers in ascending order; nil for the empty set.
func (s Set) CPUs() []int {
	var cpus []int
	for i, word := range s.words {
		for ; word != 0; word &= word - 1 {
			cpus = append(cpus, i*wordBits+bits.TrailingZeros64(word))
		}
	}
	return cpus
}

// Union returns the CPUs that are in s or in t.
func (s Set) Union(t Set) Set {
	for i := range s.words {
		s.words[i] |= t.words[i]
	}
	return s
}

// Intersect returns the CPUs that are in s and in t.
func (s Set) Intersect(t Set) Set {
	for i := range s.words {
		s.words[i] &= t.words[i]
	}
	return s
}

// Minus returns the CPUs of s that are not in t.
func (s Set) Minus(t Set) Set {
	for i := range s.words {
		s.words[i] &^= t.words[i]
	}
	return s
}

// LowerHalf returns the lower-numbered half of the set's own CPUs, for the
// server. Of an odd number it is the smaller part, since a starved generator
// spoils a measurement and a smaller server does not; a single CPU is in both
// halves.
//
// The halves follow CPU numbers and know nothing of the topology: where
// hyper-threads are numbered in two blocks, CPU i of the lower half shares a
// core with a CPU of the upper half.
func (s Set) LowerHalf() Set {
	if s.Count() == 1 {
		return s
	}
	return s.lowest(s.Count() / 2)
}

// UpperHalf returns the higher-numbered half of the set's own CPUs, for the
// generator: the larger part of an odd number, and the same CPU as LowerHalf
// of a single one.
func (s Set) UpperHalf() Set {
	if s.Count() == 1 {
		return s
	}
	return s.Minus(s.LowerHalf())
}

// lowest returns the n lowest-numbered CPUs of the set.
func (s Set) lowest(n int) Set {
	var low Set
	for _, cpu := range s.CPUs()[:n] {
		low.words[cpu/wordBits] |= 1 << (cpu % wordBits)
	}
	return low
}
