package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// suiteText is two servers, of which the second loses {burn}. The plan is that of the
// reports, rounds of runs of both variants with a median and its spread, in a minute.
const suiteText = `suite: planted
about: The embedded server against itself with a share of its CPU time burnt.
target: embedded
plan: {rounds: 3, runs: 3}
variants:
  - name: base
    command: [{scalbench}, target, --listen, "127.0.0.1:{port}", --dir, "{dir}"]
    ports: {http: 0}
    ready: {url: "http://127.0.0.1:{port}/respond"}
    provides: [http]
  - name: new
    command: [{scalbench}, target, --listen, "127.0.0.1:{port}", --dir, "{dir}"{burn}]
    ports: {http: 0}
    ready: {url: "http://127.0.0.1:{port}/respond"}
    provides: [http]
scenarios:
  - name: respond
    url: /respond
    connections: 64
    warmup: 500ms
    measure: 2s
    expect: {status: 200, bytes: 2}
    needs: [http]
compare: [{base: base, new: new, same: pass}]
varies: [argv]
`

// askSession measures a session and asks its gate. Gates say with their codes what they
// say in JSON.
func (t try) askSession(ctx context.Context, scalbench string, o *outcome) (err error) {
	dir, err := os.MkdirTemp("", "scalbench-planted-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	burn := ""
	if words := strings.Fields(t.burn()); len(words) > 0 {
		burn = ", " + strings.Join(words, `, "`) + `"`
	}
	program, err := json.Marshal(scalbench)
	if err != nil {
		return err
	}
	text := strings.NewReplacer("{scalbench}", string(program), "{burn}", burn).Replace(suiteText)
	file := filepath.Join(dir, "planted.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return err
	}
	began := time.Now()
	if _, err := output(ctx, scalbench, "run", file, "--results", dir, "--name", "planted", "--quiet"); err != nil {
		return err
	}
	o.ElapsedS = time.Since(began).Seconds()
	said, err := output(ctx, scalbench, "gate", filepath.Join(dir, "planted.session"), "--policy", "parity", "--format", "json")
	if code := new(exec.ExitError); errors.As(err, &code) && len(said) > 0 {
		err = nil
	}
	if err != nil {
		return err
	}
	return readGate(said, o)
}

// readGate takes the only row of a gate's JSON.
func readGate(said []byte, o *outcome) error {
	var gate struct {
		Tables []struct {
			Rows []struct {
				Verdict string  `json:"verdict"`
				Ratio   float64 `json:"ratio"`
			} `json:"rows"`
		} `json:"tables"`
	}
	if err := json.Unmarshal(said, &gate); err != nil {
		return fmt.Errorf("scalbench gate: %w", err)
	}
	if len(gate.Tables) != 1 || len(gate.Tables[0].Rows) != 1 {
		return fmt.Errorf("scalbench gate: want one table with one row in %s", said)
	}
	row := gate.Tables[0].Rows[0]
	o.Verdict = row.Verdict
	if row.Ratio > 0 {
		o.RPS = &ratio{Estimate: row.Ratio}
	}
	return nil
}
