package integration

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/loadgen"
)

// readAs reads the text of a file of a session as what its name says it is. A file that
// no session has is a fault, too.
func readAs(name, path string, text []byte) (err error) {
	in := bytes.NewReader(text)
	ofMeasurement := strings.Contains(filepath.ToSlash(path), "/run-")
	switch {
	case name == record.SummaryFile, name == "measurement.csv":
		_, err = record.ReadSummary(in, path)
	case name == record.AggregateFile:
		_, err = record.ReadAggregate(in, path)
	case name == record.IdentityFile && !ofMeasurement:
		_, err = record.ReadIdentity(in, path)
	case name == record.PlanFile:
		_, err = record.ReadPlan(in, path)
	case name == record.HostFile:
		_, err = record.ReadHost(in, path)
	case name == record.JournalFile:
		_, err = record.ReadJournal(in, path)
	case name == "result.json":
		r := new(loadgen.Result)
		if err = json.Unmarshal(text, r); err == nil {
			err = r.Ledger.Check()
		}
	case strings.HasSuffix(name, ".json"):
		err = json.Unmarshal(text, new(map[string]any))
	case strings.HasSuffix(name, ".ndjson"):
		for line := range bytes.Lines(text) {
			if !json.Valid(line) || line[len(line)-1] != '\n' {
				return errors.New("cut")
			}
		}
	case strings.HasSuffix(name, ".csv"), name == record.AggregateTextFile:
		if len(text) == 0 || text[len(text)-1] != '\n' {
			err = errors.New("cut")
		}
	case strings.HasSuffix(name, ".log"), strings.HasSuffix(name, ".hgrm"):
	default:
		err = errors.New("what is that")
	}
	return err
}
