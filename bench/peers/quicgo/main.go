package quicgo

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
)

// Mode is the first argument of a program that becomes this client by it.
const Mode = "quicgo"

// Main runs the client with the arguments after [Mode] and returns the exit code:
// 0 with a [Report] on stdout, 2 for arguments that make no sense, 1 for anything
// else. It uses one CPU.
func Main(args []string, stdout, stderr io.Writer) int {
	load, err := ParseLoad(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(stderr, "quicgo:", err)
		return 2
	}
	runtime.GOMAXPROCS(1)
	report, err := Run(load)
	if err == nil {
		err = json.NewEncoder(stdout).Encode(report)
	}
	if err != nil {
		fmt.Fprintln(stderr, "quicgo:", err)
		return 1
	}
	return 0
}
