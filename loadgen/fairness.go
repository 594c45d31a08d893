package loadgen

// fairness is Jain's index over all connections; nil where nothing ended ok, or
// a connection was not there to be served more than once.
func (f finished) fairness() *float64 {
	if f.plan.RequestsPerConn > 0 {
		return nil
	}
	var n int
	var sum, squares float64
	for _, w := range f.workers {
		n += len(w.conns)
		for i := range w.conns {
			x := float64(w.conns[i].served)
			sum += x
			squares += x * x
		}
	}
	if sum == 0 {
		return nil
	}
	return ptr(sum * sum / (float64(n) * squares))
}
