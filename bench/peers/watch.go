package main

import "time"

// peaks are the largest values that were seen of a process.
type peaks struct {
	rssBytes int64
	threads  int
}

// watchInterval is how often a process is read. Memory and threads seldom
// shrink, so the last reading counts; what a peer allocates in its last 20 ms
// is missed.
const watchInterval = 20 * time.Millisecond

// watch reads VmHWM and the number of threads of a process again and again
// until it ends. The returned function waits for that and returns the peaks.
//
// ru_maxrss of wait4 would need no watching, and is wrong: it is kept over
// exec, so it is never less than what this program had resident when it
// forked.
func (r runner) watch(pid int) (watched func() peaks) {
	result := make(chan peaks)
	go func() {
		var most peaks
		tick := time.NewTicker(watchInterval)
		defer tick.Stop()
		for range tick.C {
			status, err := r.fs.Status(pid)
			if err != nil || status.PeakRSSBytes == 0 { // ended, or a zombie
				break
			}
			most.rssBytes = status.PeakRSSBytes
			if stat, err := r.fs.Stat(pid); err == nil {
				most.threads = max(most.threads, stat.Threads)
			}
		}
		result <- most
	}()
	return func() peaks { return <-result }
}
