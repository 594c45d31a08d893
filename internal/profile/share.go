package profile

import "math"

// Share is a fraction of samples, 0 to 1.
type Share struct {
	Frac float64
	// SE is its standard error: by how much it would differ from that of endless samples,
	// in two of three profiles of the same start of the server.
	SE float64
}

// ShareOf is n of total samples; of none it is NaN.
//
// A sample is taken every millisecond or so, of requests that take some ten microseconds, at
// a frequency that is a prime number so that it keeps step with nothing: samples are as good
// as independent of each other, and a share is binomial. Its error is that of (n + 1) / (total + 2), the rule of
// succession of Laplace: n / total would have none at all where nothing was seen.
func ShareOf(n, total uint64) Share {
	if total == 0 {
		return Share{math.NaN(), math.NaN()}
	}
	p := float64(n+1) / float64(total+2)
	return Share{float64(n) / float64(total), math.Sqrt(p * (1 - p) / float64(total))}
}
