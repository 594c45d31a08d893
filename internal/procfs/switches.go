package procfs

// Switches counts how often a thread has left its CPU since it was started.
type Switches struct {
	Voluntary   uint64 // it waited for something
	Involuntary uint64 // it had to make way, for another thread or at the end of its slice
}

// Sub returns the switches since an earlier reading of the same thread.
func (s Switches) Sub(earlier Switches) Switches {
	return Switches{s.Voluntary - earlier.Voluntary, s.Involuntary - earlier.Involuntary}
}
