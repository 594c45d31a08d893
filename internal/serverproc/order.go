package serverproc

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"syscall"
)

// The talk of a driver and a supervisor, a line of JSON each:
//
//	driver      order         once, on the supervisor's standard input
//	            {"signal":15} to the server alone
//	            end of input  end everything
//	supervisor  report        on its standard output, one for each thing that happens
//
// The log files are handed over open, as descriptors 3 and 4.
const (
	stdoutDescriptor = 3
	stderrDescriptor = 4
)

// order is a [Spec] in which everything is resolved. Texts are bytes, since JSON
// would change what is not UTF-8.
type order struct {
	Path      []byte    `json:"path"`
	Argv      [][]byte  `json:"argv"`
	Dir       []byte    `json:"dir,omitempty"`
	Env       [][]byte  `json:"env"`
	Become    *identity `json:"become,omitempty"`
	CPUs      string    `json:"cpus,omitempty"`
	NofileMax uint64    `json:"nofile_max,omitempty"`
	StdinOpen bool      `json:"stdin_open,omitempty"`
}

// newOrder looks up the program and the user.
func newOrder(s Spec) (order, error) {
	path, lookErr := exec.LookPath(cmp.Or(s.Program, s.Command[0]))
	if lookErr == nil {
		path, lookErr = filepath.Abs(path)
	}
	become, userErr := resolveUser(s.User)
	if err := errors.Join(lookErr, userErr); err != nil {
		return order{}, err
	}
	o := order{
		Path: []byte(path), Argv: toBytes(s.Command), Dir: []byte(s.Dir), Env: toBytes(s.Env),
		Become: become, NofileMax: s.NofileMax, StdinOpen: s.StdinOpen,
	}
	if s.CPUs.Count() > 0 {
		o.CPUs = s.CPUs.String()
	}
	return o, nil
}

func toBytes(texts []string) [][]byte {
	all := make([][]byte, len(texts))
	for i, text := range texts {
		all[i] = []byte(text)
	}
	return all
}

// toStrings never returns nil, which would stand for a supervisor's own environment.
func toStrings(texts [][]byte) []string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = string(text)
	}
	return all
}

// instruction is what a driver says after the order.
type instruction struct {
	Signal syscall.Signal `json:"signal"`
}

// report is what a supervisor says; exactly one of its fields is set.
type report struct {
	Started int    `json:"started,omitempty"` // the server's PID
	Failed  string `json:"failed,omitempty"`  // why it could not be started
	Exit    *Exit  `json:"exit,omitempty"`    // how the server has ended
	Empty   *empty `json:"empty,omitempty"`   // nothing of the tree is left
}

// empty says what had to be killed for it.
type empty struct {
	Killed []Killed `json:"killed"`
	Left   int      `json:"left,omitempty"` // that could not be killed; then it is not empty at all
}

// Exit is how a process ended.
type Exit struct {
	Code   int            `json:"code"`             // of exit(2); 0 when a signal ended it
	Signal syscall.Signal `json:"signal,omitempty"` // that ended it; 0: none
}

// String returns a phrase such as "exit status 1" or "signal: killed".
func (e Exit) String() string {
	if e.Signal != 0 {
		return "signal: " + e.Signal.String()
	}
	return fmt.Sprintf("exit status %d", e.Code)
}

// Killed is a process that did not end of itself when its server was stopped.
type Killed struct {
	PID  int    `json:"pid"`
	Name string `json:"name"`
}

// String returns the form "nginx[4121]".
func (k Killed) String() string { return fmt.Sprintf("%s[%d]", k.Name, k.PID) }

// readOrder reads the first line of a supervisor's input.
func readOrder(in *bufio.Reader) (order, error) {
	line, err := in.ReadBytes('\n')
	if err != nil {
		return order{}, fmt.Errorf("read what to start: %w", err)
	}
	var o order
	if err := json.Unmarshal(line, &o); err != nil {
		return order{}, fmt.Errorf("read what to start: %w", err)
	}
	return o, nil
}

// writeLine writes a message. It has one write call, which a pipe does not tear.
func writeLine(out io.Writer, message any) error {
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = out.Write(append(text, '\n'))
	return err
}
