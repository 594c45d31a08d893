package main

import (
	"github.com/spf13/cobra"

	"github.com/scalws/scalbench/driver"
)

// newSupervise is the hidden command that stands between a session and each of its
// servers, and ends the server's whole tree when the session is gone.
func newSupervise(std streams) *cobra.Command {
	return &cobra.Command{
		Use:    "supervise",
		Short:  "Look after one server of a session",
		Hidden: true,
		Args:   noArgs,
		RunE:   func(*cobra.Command, []string) error { return driver.Supervise(std.in, std.out) },
	}
}
