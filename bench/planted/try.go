package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/scalws/scalbench/ab"
)

// try is one question.
type try struct {
	loss    float64 // that is planted in B
	margin  float64
	maxLoss float64 // ask for the side of this loss; where it is the true one, it goes on to the end
	max     time.Duration
	slice   time.Duration // 0: that of ab
	settle  float64       // share of a slice that is not counted; 0: that of ab
	seed    uint64
	fresh   bool // two processes of their own, not one that both are asked of
	keep    bool // connections stay
	session bool // ask a session and its gate
}

// outcome is its answer, a line of the raw file.
type outcome struct {
	Experiment string  `json:"experiment"`
	UTC        string  `json:"utc"`
	Loss       float64 `json:"loss"` // planted
	Margin     float64 `json:"margin,omitempty"`
	SliceMS    int64   `json:"slice_ms,omitempty"` // asked for; 0: that of ab
	Settle     float64 `json:"settle,omitempty"`   // likewise
	Fresh      bool    `json:"fresh,omitempty"`    // two processes
	Keep       bool    `json:"keep,omitempty"`     // connections stay
	Verdict    string  `json:"verdict"`            // slower, same, ...; of a session PASS, FAIL, ...; or error
	Error      string  `json:"error,omitempty"`
	ElapsedS   float64 `json:"elapsed_s"` // when it was decided, or ended; of a session with all around it
	Pairs      int     `json:"pairs,omitempty"`
	RPS        *ratio  `json:"rps,omitempty"` // B / A
	CPU        *ratio  `json:"cpu,omitempty"`
	ServerBusy float64 `json:"server_busy,omitempty"` // of A
}

// ratio is an estimate with its interval, as ab writes it.
type ratio struct {
	Estimate float64  `json:"estimate"`
	Lo       *float64 `json:"lo,omitempty"`
	Hi       *float64 `json:"hi,omitempty"`
}

// covers reports whether the interval holds a value. One that is not known yet holds all.
func (r *ratio) covers(truth float64) bool {
	return r == nil || r.Lo == nil || r.Hi == nil || *r.Lo <= truth && truth <= *r.Hi
}

// String is a line for people who wait.
func (o outcome) String() string {
	text := fmt.Sprintf("loss %.1f %%: %s, %.0f s", 100*o.Loss, o.Verdict, o.ElapsedS)
	if o.RPS != nil {
		text += fmt.Sprintf(", rps %.4f", o.RPS.Estimate)
	}
	if o.CPU != nil {
		text += fmt.Sprintf(", cpu %.4f", o.CPU.Estimate)
	}
	return text + strings.TrimSuffix(" "+o.Error, " ")
}

// run asks. A try that fails is one, too.
func (t try) run(ctx context.Context, scalbench string) outcome {
	o := outcome{Loss: t.loss, Margin: t.margin, SliceMS: t.slice.Milliseconds(), Settle: t.settle, Fresh: t.fresh, Keep: t.keep}
	ask := t.askAB
	if t.session {
		ask = t.askSession
	}
	if err := ask(ctx, scalbench, &o); err != nil {
		o.Verdict, o.Error = "error", err.Error()
	}
	return o
}

// askAB runs `scalbench ab`. What it says with code 3 or 4 is an answer.
func (t try) askAB(ctx context.Context, scalbench string, o *outcome) (err error) {
	targets, stop, err := t.targets(scalbench)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	args := append([]string{"ab"}, targets...)
	args = append(args, "--margin", strconv.FormatFloat(t.margin, 'g', -1, 64), "--max", t.max.String(), "--seed", strconv.FormatUint(t.seed, 10),
		"--output-format", "json", "--quiet")
	if t.slice > 0 {
		args = append(args, "--slice", t.slice.String())
	}
	if t.maxLoss > 0 {
		args = append(args, "--max-loss", strconv.FormatFloat(t.maxLoss, 'g', -1, 64))
	}
	if t.keep {
		args = append(args, "--keep-connections")
	}
	if t.settle > 0 {
		args = append(args, "--settle", strconv.FormatFloat(t.settle, 'g', -1, 64))
	}
	text, err := output(ctx, scalbench, args...)
	if code := new(exec.ExitError); errors.As(err, &code) && (code.ExitCode() == 3 || code.ExitCode() == 4) {
		err = nil
	}
	if err != nil {
		return err
	}
	var report ab.Report[struct {
		Server *struct {
			Busy float64 `json:"busy"`
		} `json:"server"`
	}]
	if err := json.Unmarshal(text, &report); err != nil {
		return fmt.Errorf("scalbench ab: %w", err)
	}
	o.Verdict, o.ElapsedS, o.Pairs = string(report.Verdict), report.ElapsedS, report.Pairs
	o.RPS, o.CPU = ratioOf(report.RPSRatio), ratioOf(report.CPURatio)
	if report.A.Server != nil {
		o.ServerBusy = report.A.Server.Busy
	}
	return nil
}

// targets are what ab is asked to compare, and what ends it. Of one process, A and B are two
// requests, as long as each other, of which the second burns.
func (t try) targets(scalbench string) (args []string, stop func() error, err error) {
	if t.fresh {
		server := quoted(scalbench) + " target --listen 127.0.0.1:{port}"
		return []string{"--base", server, "--new", server + t.burn(), "http://127.0.0.1:{port}/respond"}, func() error { return nil }, nil
	}
	s, err := startServer(scalbench)
	if err != nil {
		return nil, nil, err
	}
	asked := func(loss float64) string { return fmt.Sprintf("%s/respond?burn=%.4f", s.url, loss) }
	return []string{asked(0), asked(t.loss)}, s.stop, nil
}

func ratioOf(r *ab.Ratio) *ratio {
	if r == nil {
		return nil
	}
	return &ratio{r.Estimate, r.Lo, r.Hi}
}

// burn is the flag of a target that loses what the try plants.
func (t try) burn() string {
	if t.loss == 0 {
		return ""
	}
	return " --burn " + strconv.FormatFloat(t.loss, 'g', -1, 64)
}

// output runs scalbench; an error has what it said.
func output(ctx context.Context, scalbench string, args ...string) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, scalbench, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.Bytes(), fmt.Errorf("scalbench %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return stdout.Bytes(), nil
}

// quoted is a word for a shell.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
