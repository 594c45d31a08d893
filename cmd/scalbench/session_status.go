package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/driver"
)

// placeOptions are the flags of commands that look at the host's lock.
type placeOptions struct{ lock, socket string }

func (o *placeOptions) register(f *pflag.FlagSet) {
	f.StringVar(&o.lock, "lock", "", "`file` of the host's lock")
	f.StringVar(&o.socket, "lock-socket", "", "")
	hide(f, "lock-socket")
}

func (o *placeOptions) holder() (*driver.Holder, error) {
	return driver.Look(driver.Place{LockPath: o.lock, LockSocket: o.socket, Environ: os.Environ()})
}

func newStatus(std streams) *cobra.Command {
	var place placeOptions
	var results string
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Tell which session holds the host, and which are not finished",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			holder, err := place.holder()
			if err != nil {
				return err
			}
			printHolder(std, holder)
			unfinished, notes := driver.Unfinished(results)
			for _, note := range notes {
				fmt.Fprintf(std.err, "scalbench: %s\n", note)
			}
			for _, s := range unfinished {
				fmt.Fprintf(std.out, "%s: %s\n", s.Dir, unfinishedText(s))
			}
			return nil
		},
	}
	place.register(cmd.Flags())
	cmd.Flags().StringVar(&results, "results", "results", "`directory` of results in which to look")
	return cmd
}

func printHolder(std streams, holder *driver.Holder) {
	switch {
	case holder == nil:
		fmt.Fprintln(std.out, "the host is free")
	case holder.Ended:
		fmt.Fprintf(std.out, "the host is free; the last session ended without a word: %s\n", holder.Text)
	default:
		fmt.Fprintf(std.out, "the host is held by %s\n", holder.Text)
	}
}

// unfinishedText is how far a session is, and why it is not further.
func unfinishedText(s driver.SessionStatus) string {
	if s.Stopped != "" {
		return s.Progress + "; stopped: " + s.Stopped
	}
	return s.Progress
}

func newStop(std streams) *cobra.Command {
	var place placeOptions
	cmd := &cobra.Command{
		Use:   "stop",
		Short: "Ask the session that holds the host to stop",
		Long: "Ask the session that holds the host to stop. It ends its servers and leaves what it has measured; scalbench\n" +
			"resume goes on.",
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			holder, err := place.holder()
			if err != nil {
				return err
			}
			if holder == nil || holder.Ended {
				return errors.New("stop: nobody holds the host")
			}
			if err := holder.Stop(); err != nil {
				return err
			}
			fmt.Fprintf(std.out, "asked to stop: %s\n", holder.Text)
			return nil
		},
	}
	place.register(cmd.Flags())
	return cmd
}

func newNote(std streams) *cobra.Command {
	return &cobra.Command{
		Use:     "note DIR TEXT",
		Short:   "Add a line to a session, with the time, which reports print",
		Example: `  scalbench note results/xeon-gate1-1 "dnf ran from 13:12 to 13:18"`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usagef("note: want a directory and a text, got %q", args)
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return driver.Note(args[0], strings.Join(args[1:], " ")) },
	}
}
