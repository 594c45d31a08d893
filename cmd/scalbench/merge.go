package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/loadgen"
)

// mergeOptions is what the flags of `scalbench merge` say. They are those of load
// that say what is done with a result, and the same code does it.
type mergeOptions struct{ output loadOptions }

func (o *mergeOptions) register(f *pflag.FlagSet) {
	f.SortFlags = false
	f.StringVar(&o.output.format, "output-format", "text", "text, json or hgrm (the response times' histogram)")
	f.StringVarP(&o.output.outFile, "output", "o", "", "write the JSON to a `file`, the text still to stdout")
	f.BoolVarP(&o.output.verbose, "verbose", "v", false, "print everything that was measured")
}

func newMerge(std streams) *cobra.Command {
	var o mergeOptions
	cmd := &cobra.Command{
		Use:   "merge FILE...",
		Short: "Merge the results of generators that worked at the same time",
		Long: "Merge the results of generators that worked at the same time on shares of one plan, in several processes or on several hosts.\n\n" +
			"The files are results in JSON, as load writes them; - is standard input. Counters are added and histograms\n" +
			"merged; percentiles come from the merged histogram.",
		Example: "  scalbench merge host1.json host2.json\n" +
			"  scalbench merge host*.json -o all.json --output-format hgrm",
		Args: checkMergeArgs,
		RunE: func(_ *cobra.Command, args []string) error { return o.merge(args, std) },
	}
	o.register(cmd.Flags())
	return cmd
}

func checkMergeArgs(_ *cobra.Command, names []string) error {
	inputs := 0
	for _, name := range names {
		if name == stdinName {
			inputs++
		}
	}
	switch {
	case len(names) == 0:
		return hintedError{usagef("merge: no file"), "scalbench load URL -o FILE writes one"}
	case inputs > 1:
		return usagef("merge: standard input (%s) can be read once, not %d times", stdinName, inputs)
	}
	return nil
}

// stdinName stands for standard input among the files.
const stdinName = "-"

// merge is the story of the command: files to results, one result of them, the
// output, the verdict.
func (o *mergeOptions) merge(names []string, std streams) error {
	if err := o.checkFormat(); err != nil {
		return err
	}
	file, err := createResultFile(o.output.outFile)
	if err != nil {
		return err
	}
	defer file.discard()
	results, err := readResults(names, std.in)
	if err != nil {
		return err
	}
	merged, err := loadgen.MergeResults(results)
	if err != nil {
		return ofFile(err, names)
	}
	if err := o.output.write(merged, file, std.out); err != nil {
		return err
	}
	verdict := *merged
	verdict.Interrupted = false // a part was, the merge was not
	return o.output.judge(&verdict)
}

// checkFormat leaves out the rows: most of a row's numbers cannot be merged.
func (o *mergeOptions) checkFormat() error {
	switch o.output.format {
	case "text", "json", "hgrm":
		return nil
	}
	return usagef("--output-format %q: want text, json or hgrm", o.output.format)
}

// readResults reads all files and tells the faults of all. One that is there twice, under
// whatever names, would be counted twice.
func readResults(names []string, in io.Reader) ([]*loadgen.Result, error) {
	var results []*loadgen.Result
	var faults []error
	first := map[[sha256.Size]byte]string{}
	for _, name := range names {
		text, err := readResultText(name, in)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		if same, twice := first[sha256.Sum256(text)]; twice {
			faults = append(faults, usageError{sameResult(name, same)})
			continue
		}
		first[sha256.Sum256(text)] = name
		r, err := decodeResultJSON(text)
		if err != nil {
			err = fmt.Errorf("%s: %w", shownName(name), err)
		}
		results, faults = append(results, r), append(faults, err)
	}
	return results, errors.Join(faults...)
}

// sameResult says that two files have one result.
func sameResult(name, first string) error {
	if name == first {
		return fmt.Errorf("%s: it is there twice, and would be counted twice", name)
	}
	return fmt.Errorf("%s: it is the result in %s, which would be counted twice", shownName(name), shownName(first))
}

func readResultText(name string, in io.Reader) ([]byte, error) {
	if name != stdinName {
		file, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, cause(err))
		}
		defer file.Close()
		in = file
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shownName(name), cause(err))
	}
	return text, nil
}

// decodeResultJSON looks at the schema before anything else, so that what is no
// result of load is told as that and not as the first key that does not fit.
func decodeResultJSON(text []byte) (*loadgen.Result, error) {
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, hintedError{fmt.Errorf("not one result in JSON: %w", err), "rows (ndjson, csv) cannot be merged: --output-format json and -o write whole results"}
	}
	if head.Schema != loadgen.Schema {
		return nil, fmt.Errorf("schema %q: want a result of scalbench load, %q", head.Schema, loadgen.Schema)
	}
	r := new(loadgen.Result)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("not a result: %w", err)
	}
	return r, nil
}

// ofFile names the file instead of the number of the result in it.
func ofFile(err error, names []string) error {
	var part *loadgen.PartError
	if errors.As(err, &part) {
		return fmt.Errorf("%s: %w", shownName(names[part.Part]), part.Err)
	}
	return err
}

func shownName(name string) string {
	if name == stdinName {
		return "standard input"
	}
	return name
}
