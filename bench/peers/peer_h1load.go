package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// h1load is wtarreau/h1load. No registry has it, so it takes part only where
// somebody built it. It prints no version, and verifies no certificate.
type h1load struct {
	path string
}

func (h1load) name() string      { return "h1load" }
func (h h1load) program() string { return h.path }
func (h1load) install() string   { return "in no registry; build wtarreau/h1load and put it on PATH" }
func (h1load) recipes() []recipe { return nil }
func (h1load) version() string   { return "tells no version" }

// lacks: whether it was built with TLS shows only when it is probed.
func (h1load) lacks(l load) string { return onlyHTTP1(l) }

func (h1load) loadArgs(l load) []string {
	args := []string{
		"-t", "1",
		"-c", strconv.Itoa(l.connections),
		"-d", strconv.Itoa(l.seconds),
		"-ll", "-S", "-P", // plain numbers, status classes, percentiles
		"-H", "User-Agent: " + userAgent,
		"-H", "Accept: " + accept,
	}
	if l.churn {
		args = append(args, "-r", "1") // brings closeHeader
	}
	return append(args, l.url)
}

// Columns of a row of h1load -ll -S, one a second:
//
//	time conns tot_conn tot_req tot_bytes err thr cps rps Bps bps ttfb ttlb 1xx 2xx 3xx 4xx 5xx
//
// tot_req and err count from the start, the status classes since the row
// before. After them, with another number of columns, come the percentiles:
//
//	pctl tail invtail ttfbcnt ttfb(ms) ttlbcnt ttlb(ms)
const (
	h1loadConnections = 1
	h1loadRequests    = 3
	h1loadErrors      = 5
	h1loadRate        = 8
	h1load1xx         = 13
	h1load2xx         = 14
	h1loadRowColumns  = 18

	h1loadPercentile        = 0
	h1loadLastByteMillis    = 6
	h1loadPercentileColumns = 7
)

// parseReport takes the mean rate of the rows with open connections; what comes
// after them is the end of the last requests, in a second of nothing else.
func (h1load) parseReport(_ load, stdout []byte) (report, error) {
	var r report
	var rates []float64
	var connectionErrors, not2xx int64
	for line := range strings.Lines(string(stdout)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		columns, err := h1loadColumns(line)
		if err != nil {
			return report{}, fmt.Errorf("read row %q: %w", strings.TrimSpace(line), err)
		}
		switch len(columns) {
		case h1loadRowColumns:
			r.requests, connectionErrors = int64(columns[h1loadRequests]), int64(columns[h1loadErrors])
			for class, n := range columns[h1load1xx:] {
				if h1load1xx+class != h1load2xx {
					not2xx += int64(n)
				}
			}
			if columns[h1loadConnections] > 0 {
				rates = append(rates, columns[h1loadRate])
			}
		case h1loadPercentileColumns:
			switch columns[h1loadPercentile] {
			case 50:
				r.p50 = micros(1000 * columns[h1loadLastByteMillis])
			case 99:
				r.p99 = micros(1000 * columns[h1loadLastByteMillis])
			}
		}
	}
	if len(rates) == 0 {
		return report{}, errors.New("no row with open connections")
	}
	r.rps, r.errors = mean(rates), connectionErrors+not2xx
	return r, nil
}

// h1loadColumns reads the numbers of a row; "-" is a time of no request.
func h1loadColumns(line string) ([]float64, error) {
	var columns []float64
	for field := range strings.FieldsSeq(line) {
		if field == "-" {
			field = "0"
		}
		n, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return nil, err
		}
		columns = append(columns, n)
	}
	return columns, nil
}
