package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/internal/suite"
)

// unsupportedFlags are flags that other tools or later versions have, with what
// they would do. They are refused by name: a flag that is ignored makes a result
// of something that was not asked.
func unsupportedFlags() map[string]string {
	return map[string]string{
		"-x": "a proxy", "--proxy-header": "a proxy", "--proxy-http-version": "a proxy", "--proxy-http2": "a proxy",
		"-r": "following redirects", "--redirect": "following redirects",
		"--connect-to": "connecting elsewhere", "--unix-socket": "Unix sockets", "--vsock-addr": "VM sockets",
		"--no-pre-lookup":  "lookups in the run",
		"--rand-regex-url": "random URLs", "--max-repeat": "random URLs", "--dump-urls": "random URLs", "--urls-from-file": "lists of URLs",
		"-Z": "bodies from lines of a file", "-F": "forms", "--aws-session": "AWS signatures", "--aws-sigv4": "AWS signatures",
		"--stats-success-breakdown": "statistics by status",
		"--db-url":                  "SQLite output", "--debug": "dumping one exchange", "--fps": "a live view", "-u": "choosing the time unit", "--time-unit": "choosing the time unit",
		"--variant": "variants", "--engine": "other engines",
	}
}

// nearestFlag returns the flag of the command that is spelled most like name.
func nearestFlag(cmd *cobra.Command, name string) string {
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	if near := suite.Nearest(strings.TrimLeft(name, "-"), known); near != "" {
		return "--" + near
	}
	return ""
}
