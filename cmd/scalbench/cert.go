package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/scalws/scalbench/internal/certs"
	"github.com/scalws/scalbench/loadgen"
)

func newCert(std streams) *cobra.Command {
	var request certs.Request
	cmd := &cobra.Command{
		Use:   "cert DIR",
		Short: "Make a CA and a certificate for local TLS tests",
		Long: "Make a CA and a certificate that it signed, for local TLS tests: ca.pem, cert.pem and key.pem in a directory, which\n" +
			"is made when it is missing. Nothing is overwritten. The CA's key is not kept: nobody can sign anything else with it.",
		Example: "  scalbench cert certs\n" +
			"  scalbench cert certs --name www.example.test --name 10.0.0.7 --days 7",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("cert: one directory, got %d: %q", len(args), args)
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if request.Days == 0 { // which is the default for certs.Request
				return usagef("--days 0: want at least 1")
			}
			return makeCerts(args[0], request, time.Now(), std.out)
		},
	}
	cmd.Flags().StringArrayVar(&request.Names, "name", nil, "host `name` or IP address that it is for, may be repeated (default localhost, 127.0.0.1, ::1)")
	cmd.Flags().IntVar(&request.Days, "days", 90, "how long it is valid")
	return cmd
}

// makeCerts makes certificates in a directory and says how to use them.
func makeCerts(dir string, request certs.Request, now time.Time, out io.Writer) error {
	if err := request.Validate(); err != nil {
		return usageError{err}
	}
	made, err := certs.Make(request, now)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := made.Write(dir); errors.Is(err, fs.ErrExist) {
		return usageError{err}
	} else if err != nil {
		return err
	}
	ca, cert, key := filepath.Join(dir, certs.CAFile), filepath.Join(dir, certs.CertFile), filepath.Join(dir, certs.KeyFile)
	address := net.JoinHostPort(exampleHost(made.Names), "8443")
	fmt.Fprintf(out, "%s: the CA, for clients\n", ca)
	fmt.Fprintf(out, "%s: for %s, until %s\n", cert, strings.Join(made.Names, ", "), made.NotAfter.Format(time.DateOnly))
	fmt.Fprintf(out, "%s: its key\n", key)
	fmt.Fprintf(out, "scalbench target --listen %s --cert %s --key %s\n", address, cert, key)
	_, err = fmt.Fprintf(out, "scalbench load https://%s/respond --cacert %s\n", address, ca)
	return err
}

// exampleHost is one of the names under which a server of this host can most
// likely be reached.
func exampleHost(names []string) string {
	const loopback = "127.0.0.1"
	if slices.Contains(names, loopback) {
		return loopback
	}
	return strings.Replace(names[0], "*", "www", 1)
}

// warnOfExpiry tells the certificates of a file that clients refuse, or will
// soon.
func warnOfExpiry(out io.Writer, file string, now time.Time) error {
	all, err := certs.ReadValidity(file)
	if err != nil {
		return err
	}
	for _, v := range all {
		if concern := v.Concern(now); concern != "" {
			printWarning(out, loadgen.Warning{Text: fmt.Sprintf("certificate %s (%s) %s", file, v.Subject, concern)})
		}
	}
	return nil
}
