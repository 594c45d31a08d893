package main

import (
	"context"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/scalws/scalbench/internal/burden"
)

// newBurden is the hidden command that takes a share of the CPUs of a server, as the
// positive control of a calibration. It ends with its standard input.
func newBurden(std streams) *cobra.Command {
	share := 0.0
	cmd := &cobra.Command{
		Use:    "burden",
		Short:  "Take a share of the CPUs that this process may use",
		Hidden: true,
		Args:   noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithCancel(cmd.Context())
			defer cancel()
			if pipe := parentPipe(std.in); pipe != nil {
				go func() {
					_, _ = io.Copy(io.Discard, pipe) // an error is its end, too
					cancel()
				}()
			}
			runtime.GOMAXPROCS(runtime.NumCPU() + 2) // its threads keep theirs; we read a pipe and wait for signals
			return unlessInterrupted(cmd.Context(), burden.Run(ctx, share))
		},
	}
	cmd.Flags().Float64Var(&share, "share", 0, "of each CPU, above 0 and below 1")
	return cmd
}
