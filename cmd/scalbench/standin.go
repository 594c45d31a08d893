package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/scalws/scalbench/internal/target"
)

// newStandIn is the hidden command that plays a variant of a session with --stand-in:
// the embedded target in cleartext and over TLS at once, as the servers of suites
// listen.
func newStandIn(std streams) *cobra.Command {
	var plain, secure target.Config
	var reusePort bool
	cmd := &cobra.Command{
		Use:    "stand-in",
		Short:  "Be the embedded target in the place of a server",
		Hidden: true,
		Args:   noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			plain.ReusePort, secure.ReusePort = reusePort, reusePort
			var configs []target.Config
			for _, c := range []target.Config{plain, secure} {
				if c.Listen != "" {
					configs = append(configs, c)
				}
			}
			return standIn(cmd.Context(), configs, parentPipe(std.in), std.out)
		},
	}
	f := cmd.Flags()
	f.StringVar(&plain.Listen, "http", "", "`address` in cleartext")
	f.StringVar(&plain.Upstream, "upstream", "", "`URL` of the upstream, in cleartext alone")
	f.StringVar(&secure.Listen, "https", "", "`address` over TLS; it needs --cert and --key")
	f.StringVar(&secure.Cert, "cert", "", "PEM `file`")
	f.StringVar(&secure.Key, "key", "", "PEM `file`")
	f.BoolVar(&secure.HTTP3, "http3", false, "HTTP/3 too")
	f.BoolVar(&reusePort, "reuse-port", false, "share the addresses")
	return cmd
}

// standIn serves all configurations until the context or stdin ends, or one of them
// fails.
func standIn(ctx context.Context, configs []target.Config, stdin io.Reader, stdout io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error)
	for i, c := range configs {
		in := stdin
		if i > 0 {
			in = nil // the first tells the others
		}
		go func() {
			err := target.Run(ctx, c, in, stdout)
			stop()
			ended <- err
		}()
	}
	var errs []error
	for range configs {
		errs = append(errs, <-ended)
	}
	return errors.Join(errs...)
}
