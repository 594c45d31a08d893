package serverproc

import (
	"sync"
	"time"
)

// Sampler looks at a server again and again, from a goroutine of its own, which
// sleeps between the looks.
type Sampler struct {
	expect Expect
	look   func() (Observation, error)

	violated chan struct{} // closed at the first violation after the grace
	quit     chan struct{}
	done     chan struct{}
	once     sync.Once
	tally    Tally // owned by loop; read after done
}

// SampleEvery is the time between two samples of a session.
const SampleEvery = time.Second

// StartSampler looks at once, then after each interval ([SampleEvery]), and a last time
// when it is stopped. look is [Observer.Watch]'s, which is called by one goroutine.
func StartSampler(e Expect, every time.Duration, look func() (Observation, error)) *Sampler {
	s := &Sampler{expect: e, look: look, violated: make(chan struct{}), quit: make(chan struct{}), done: make(chan struct{})}
	go s.loop(every)
	return s
}

func (s *Sampler) loop(every time.Duration) {
	defer close(s.done)
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		s.sample()
		select {
		case <-ticker.C:
		case <-s.quit:
			s.sample()
			return
		}
	}
}

func (s *Sampler) sample() {
	seen, err := s.look()
	if err != nil {
		s.tally.AddError(err)
		return
	}
	clean := s.tally.First() == nil
	s.tally.Add(s.expect, seen)
	if clean && s.tally.First() != nil {
		close(s.violated)
	}
}

// Violated is closed at the first violation after the grace, so that a measurement
// that is invalid already need not be finished.
func (s *Sampler) Violated() <-chan struct{} { return s.violated }

// Stop takes the last sample and returns what was counted. It must be called before the
// server is stopped; calling it again returns the same.
func (s *Sampler) Stop() *Tally {
	s.once.Do(func() { close(s.quit) })
	<-s.done
	return &s.tally
}
