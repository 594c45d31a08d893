package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/scalws/scalbench/loadgen"
)

// errBroken is a threshold that did not hold: exit code 3.
var errBroken = errors.New("a threshold is broken")

// parseThresholds reads the --threshold flags. All faults are found.
func (o *loadOptions) parseThresholds() error {
	var faults []error
	o.limits = nil
	for _, text := range o.thresholds {
		t, err := loadgen.ParseThreshold(text)
		if err != nil {
			faults = append(faults, usagef("--threshold: %w", err))
			continue
		}
		o.limits = append(o.limits, t)
	}
	return errors.Join(faults...)
}

// checkThresholds puts into the result what became of each threshold.
func (o *loadOptions) checkThresholds(r *loadgen.Result) {
	for _, t := range o.limits {
		r.Thresholds = append(r.Thresholds, t.Check(r))
	}
}

// broken is the error of the thresholds that a result does not hold; nil when it
// holds all.
func broken(r *loadgen.Result) error {
	var texts []string
	for _, v := range r.Thresholds {
		if !v.Held() {
			texts = append(texts, v.Text)
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", errBroken, strings.Join(texts, "; "))
}
