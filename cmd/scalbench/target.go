package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"time"

	"github.com/spf13/cobra"

	"github.com/scalws/scalbench/internal/target"
)

func newTarget(std streams) *cobra.Command {
	var config target.Config
	var profile string
	var burn percentage
	cmd := &cobra.Command{
		Use:   "target",
		Short: "Run the embedded server in the foreground",
		Long: "Run the embedded server in the foreground. It writes one line, `listening URL`, when it is ready, and ends on\n" +
			"a signal or, when its standard input is a pipe, when that is closed.\n\n" +
			"With --cert and --key it speaks HTTP/2 and HTTP/1.1 over TLS; scalbench cert makes both files. With --http3\n" +
			"too it also speaks HTTP/3, on the UDP port of the same number.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config.Burn = burn.frac
			if err := config.Validate(); err != nil {
				return usageError{err}
			}
			if config.Cert != "" {
				if err := warnOfExpiry(std.err, config.Cert, time.Now()); err != nil {
					return err
				}
			}
			return profiled(profile, func() error { return target.Run(cmd.Context(), config, parentPipe(std.in), std.out) })
		},
	}
	cmd.Flags().StringVar(&config.Listen, "listen", "127.0.0.1:0", "`address` to listen on; port 0 is a free one")
	cmd.Flags().StringVar(&config.Dir, "dir", "", "`directory` for the static files (default a temporary one)")
	cmd.Flags().StringVar(&config.Upstream, "upstream", "", "`URL` of the server behind /proxy and /cache-hit, http://HOST:PORT (default none)")
	cmd.Flags().DurationVar(&config.UpstreamTimeout, "upstream-timeout", 5*time.Second, "`time` for one answer of the upstream, 1ms to 60s")
	cmd.Flags().StringArrayVar(&config.Headers, "header", nil, "field `\"name: value\"` of every answer beside its own; repeatable")
	cmd.Flags().Var(&burn, "burn", "waste this share of its CPU time (`2%`), a loss that is known")
	cmd.Flags().StringVar(&config.Cert, "cert", "", "PEM `file` of a certificate and its chain: listen with TLS (default cleartext)")
	cmd.Flags().StringVar(&config.Key, "key", "", "PEM `file` of its key")
	cmd.Flags().BoolVar(&config.HTTP3, "http3", false, "HTTP/3 too; it needs --cert and --key")
	cmd.Flags().BoolVar(&config.ReusePort, "reuse-port", false, "share the address with other servers that do so too")
	cmd.Flags().StringVar(&profile, "cpu-profile", "", "write a profile of its CPU time into a `file`, which trains a compiler (go build -pgo)")
	return cmd
}

// profiled runs with a profile of CPU time, in the format of pprof, that is whole when it
// returns; "": without one.
func profiled(name string, run func() error) (err error) {
	if name == "" {
		return run()
	}
	file, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("--cpu-profile %s: %w", name, cause(err))
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := pprof.StartCPUProfile(file); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	return run()
}

// parentPipe returns standard input when a parent process may hold its other
// end. A terminal is not read from, or a server in the background would be
// stopped for it, and /dev/null has ended before it began.
func parentPipe(in io.Reader) io.Reader {
	file, ok := in.(*os.File)
	if !ok {
		return in
	}
	info, err := file.Stat()
	if err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return nil
	}
	return in
}

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments, got %q", cmd.Name(), args)
	}
	return nil
}
