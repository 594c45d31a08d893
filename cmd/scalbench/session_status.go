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
		Use:   "status [SESSION...]",
		Short: "Tell which session holds the host, and which are not finished; or how far sessions are",
		Example: "  scalbench status\n" +
			"  scalbench status results/xeon-gate1.session",
		RunE: func(_ *cobra.Command, dirs []string) error {
			holder, err := place.holder()
			if err != nil {
				return err
			}
			if len(dirs) > 0 {
				return printSessions(std, dirs, holder)
			}
			printHolder(std, holder)
			unfinished, notes := driver.Unfinished(results)
			for _, note := range notes {
				fmt.Fprintf(std.err, "scalbench: %s\n", note)
			}
			for _, s := range unfinished {
				fmt.Fprintf(std.out, "%s: %s\n", s.Dir, statusText(s, holder))
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

// printSessions tells how far the sessions in directories are, finished or not.
func printSessions(std streams, dirs []string, holder *driver.Holder) error {
	var faults []error
	for _, dir := range dirs {
		s, err := driver.StatusOf(dir)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		fmt.Fprintf(std.out, "%s: %s\n", s.Dir, statusText(s, holder))
	}
	return errors.Join(faults...)
}

// statusText is how far a session is, who is at it, and why it is not further.
func statusText(s driver.SessionStatus, holder *driver.Holder) string {
	text := s.Progress
	switch {
	case s.DoneAs != "":
		text += "; finished: " + s.DoneAs
	case s.Done:
		text += "; finished"
	case s.IsOf(holder):
		text += fmt.Sprintf("; running, pid %d", holder.PID)
	case s.Stopped != "":
		text += "; stopped: " + s.Stopped
	default:
		text += "; killed" // nobody is at it, and it has not said why
	}
	return text
}

func newStop(std streams) *cobra.Command {
	var place placeOptions
	var wait bool
	cmd := &cobra.Command{
		Use:   "stop",
		Short: "Ask the session that holds the host to stop",
		Long: "Ask the session that holds the host to stop. It ends its servers and leaves what it has measured; scalbench\n" +
			"resume goes on.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
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
			if !wait {
				return nil
			}
			if err := holder.Await(cmd.Context()); err != nil {
				return err
			}
			fmt.Fprintf(std.out, "it has stopped: pid %d\n", holder.PID)
			return nil
		},
	}
	place.register(cmd.Flags())
	cmd.Flags().BoolVar(&wait, "wait", false, "wait until it has")
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
