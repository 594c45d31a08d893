package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/scalws/scalbench/driver"
)

// oneSession wants the directory of a session.
func oneSession(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return hintedError{usagef("%s: one session, got %d: %q", cmd.Name(), len(args), args), "give its directory, such as results/xeon-gate1.session"}
	}
	return nil
}

func newResume(std streams) *cobra.Command {
	var sitting sittingOptions
	var syscalls bool
	var profile string
	cmd := &cobra.Command{
		Use:   "resume SESSION",
		Short: "Go on with a session that was stopped or killed",
		Long: "Go on with a session that was stopped or killed. What was measured stays; what was cut in the middle is measured\n" +
			"again, and so is the other half of its pair, or a half that is older than a run takes. Suites, programs and host\n" +
			"must be what they were.\n\n" +
			"With --syscalls system calls are counted after that, and with --profile the server's CPUs are sampled, also of a\n" +
			"session that is finished.",
		Example: "  scalbench resume results/xeon-gate1.session\n" +
			"  scalbench resume results/xeon-gate1.session --syscalls\n" +
			"  scalbench resume results/xeon-gate1.session --profile=on-fail",
		Args: oneSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			order := driver.Order{Syscalls: syscalls, Profile: profile}
			if err := sitting.apply(&order, time.Now()); err != nil {
				return err
			}
			outcome, err := driver.Resume(cmd.Context(), args[0], order, sitting.around(std))
			return concluded(cmd.Context(), outcome, err, std)
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().BoolVar(&syscalls, "syscalls", false, "count system calls for each request with perf, in a pass of its own after the rounds")
	registerProfile(cmd.Flags(), &profile)
	sitting.register(cmd.Flags())
	return cmd
}
