package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/scalws/scalbench/loadgen"
)

// NDJSON writes the rows of the time series as JSON, one on a line.
func NDJSON(out io.Writer, rows []loadgen.Window) error {
	encoder := json.NewEncoder(out) // ends every value with a line feed
	for _, row := range rows {
		if err := encoder.Encode(row); err != nil {
			return fmt.Errorf("write rows: %w", err)
		}
	}
	return nil
}

// CSV writes the rows of the time series with a header. What was not measured
// is an empty field.
func CSV(out io.Writer, rows []loadgen.Window) error {
	w := csv.NewWriter(out)
	w.Write([]string{"t_s", "ok", "errors", "p50_us", "p99_us", "max_us"}) // its error is kept for Error
	for _, row := range rows {
		w.Write([]string{
			number(&row.StartS), strconv.FormatUint(row.OK, 10), strconv.FormatUint(row.Errors, 10),
			number(row.P50US), number(row.P99US), number(row.MaxUS),
		})
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return fmt.Errorf("write rows: %w", err)
	}
	return nil
}

// number writes a number as short as it can be read back, and nothing for nil.
func number(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}

// HGRM writes the response time's distribution as HdrHistogram's text, in
// milliseconds; nothing when there is none.
func HGRM(out io.Writer, r *loadgen.Result) error {
	if r.Latency.Response == nil {
		return nil
	}
	return r.Latency.Response.WriteHGRM(out)
}
