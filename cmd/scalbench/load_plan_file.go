package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/loadgen"
)

// besidePlan are the flags that may stand beside --plan: they say what is done
// with the result, not what is measured.
func besidePlan() []string {
	return append(harmlessFlags(), "plan", "output-format", "output", "quiet", "verbose", "strict", "no-save", "threshold", "qlog", announceFlag)
}

// planFromFile reads a whole plan.
func (o *loadOptions) planFromFile(in io.Reader, f *pflag.FlagSet) (loadgen.Plan, error) {
	var beside []string
	f.Visit(func(flag *pflag.Flag) {
		if !slices.Contains(besidePlan(), flag.Name) {
			beside = append(beside, "--"+flag.Name)
		}
	})
	if len(beside) > 0 {
		return loadgen.Plan{}, usagef("--plan says everything that is measured: %s cannot stand beside it", strings.Join(beside, ", "))
	}
	name := "standard input"
	if o.plan != "-" {
		name = o.plan
		file, err := os.Open(o.plan)
		if err != nil {
			return loadgen.Plan{}, fmt.Errorf("--plan %s: %w", o.plan, cause(err))
		}
		defer file.Close()
		in = file
	}
	data, err := io.ReadAll(in)
	if err != nil {
		return loadgen.Plan{}, fmt.Errorf("--plan %s: %w", o.plan, cause(err))
	}
	return decodePlan(name, data)
}

// decodePlan reads a plan in JSON; what it leaves out is as in DefaultPlan.
// Unknown keys are faults. name is that of the file.
func decodePlan(name string, data []byte) (loadgen.Plan, error) {
	plan := loadgen.DefaultPlan("")
	plan.Targets = nil
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&plan); err != nil {
		return loadgen.Plan{}, planFault(name, data, err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return loadgen.Plan{}, usagef("--plan: %s has more than one JSON value", name)
	}
	return plan, nil
}

// planFault words what is wrong with a plan in JSON, with its line where the
// decoder knows it: it does for syntax only.
func planFault(name string, data []byte, err error) error {
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case err == io.EOF:
		return usagef("--plan: %s is empty, want a plan in JSON", name)
	case err == io.ErrUnexpectedEOF:
		return usagef("--plan: %s ends inside the JSON value", name)
	case errors.As(err, &syntax):
		before := data[:max(syntax.Offset-1, 0)]
		line := 1 + bytes.Count(before, []byte("\n"))
		column := len(before) - bytes.LastIndexByte(before, '\n')
		return usagef("--plan: %s:%d:%d: %w", name, line, column, err)
	case errors.As(err, &mismatch):
		return usagef("--plan: %s: %s is a %s, want %s", name, mismatch.Field, mismatch.Value, jsonKind(mismatch.Type))
	}
	if key, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return usagef("--plan: %s: unknown key %s", name, key)
	}
	return usagef("--plan: %s: %w", name, err)
}

// jsonKind is the kind of JSON value that fits a Go type.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "a list"
	case reflect.Struct:
		return "an object"
	}
	return "a whole number"
}
