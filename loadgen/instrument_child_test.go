package loadgen_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/loadgen"
)

// childVariable makes this test binary, which runs one of the tests below alone,
// what that test says.
const childVariable = "LOADGEN_TEST_CHILD"

// child is a process of this test binary.
type child struct {
	cmd *exec.Cmd
	out *bufio.Reader
}

// startChild starts one that runs a single test, on the CPUs of this process or, where
// some are given, on those. It is killed at the end of the test if it is still there.
func startChild(t *testing.T, test, input string, cpus ...cpuset.Set) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+test+"$", "-test.timeout=1m")
	cmd.Env = append(os.Environ(), childVariable+"=1")
	cmd.Stdin, cmd.Stderr = strings.NewReader(input), os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	started := make(chan error)
	dead := make(chan struct{})
	go func() {
		// Affinity is inherited from the thread that forks, and the kernel sends the
		// signal of Pdeathsig when that thread ends: it stays until the test does.
		runtime.LockOSThread()
		err := pin(cpus)
		if err == nil {
			err = cmd.Start()
		}
		started <- err
		<-dead
	}()
	err = <-started
	t.Cleanup(func() {
		if err == nil && cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
		close(dead)
	})
	if err != nil {
		t.Fatal(err)
	}
	return &child{cmd: cmd, out: bufio.NewReader(out)}
}

func pin(cpus []cpuset.Set) error {
	for _, s := range cpus {
		if err := cpuset.SetThread(s); err != nil {
			return err
		}
	}
	return nil
}

// pid is its process number.
func (c *child) pid() int { return c.cmd.Process.Pid }

// line reads its next line.
func (c *child) line(t *testing.T) string {
	t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		t.Fatalf("read a line of the child: %v", err)
	}
	return strings.TrimSpace(line)
}

// await reads its lines until one is as given.
func (c *child) await(t *testing.T, want string) {
	t.Helper()
	for c.line(t) != want {
	}
}

// result reads the result that a generator ends with.
func (c *child) result(t *testing.T) *loadgen.Result {
	t.Helper()
	c.await(t, resultLine)
	text, err := c.out.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	r := new(loadgen.Result)
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(r); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, c.out)
	if err := c.cmd.Wait(); err != nil {
		t.Error(err)
	}
	check(t, r)
	return r
}

// Lines that a generator writes.
const (
	rowLine    = "row"
	resultLine = "result"
)

// startGenerator runs a plan in a process of its own, which writes a line for each
// row of the time series and at the end the result.
func startGenerator(t *testing.T, p loadgen.Plan) *child {
	t.Helper()
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return startChild(t, "TestChildGenerator", string(text))
}

// TestChildGenerator is no test but the generator of startGenerator.
func TestChildGenerator(t *testing.T) {
	if os.Getenv(childVariable) == "" {
		t.Skip("is for tests that start it")
	}
	var p loadgen.Plan
	if err := json.NewDecoder(os.Stdin).Decode(&p); err != nil {
		t.Fatal(err)
	}
	r, err := loadgen.Run(context.Background(), p, loadgen.Observer{Row: func(loadgen.Window) { fmt.Println(rowLine) }})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("%s\n%s\n", resultLine, text)
}

// TestChildServesChunks is no test but a server whose answers cost it one write, and
// whoever reads them a chunk for each byte. It serves until it is killed.
func TestChildServesChunks(t *testing.T) {
	if os.Getenv(childVariable) == "" {
		t.Skip("is for tests that start it")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("http://%s/\n", listener.Addr())
	answer := []byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1\r\na\r\n", 16_384) + "0\r\n\r\n")
	for {
		conn, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		go answerEach(conn, answer)
	}
}

// answerEach answers every read: the client sends one request at a time, in one
// piece.
func answerEach(conn net.Conn, answer []byte) {
	defer conn.Close()
	request := make([]byte, 4096)
	for {
		if _, err := conn.Read(request); err != nil {
			return
		}
		if _, err := conn.Write(answer); err != nil {
			return
		}
	}
}

// spinMax bounds how long a spinning child lives, whoever forgets it.
const spinMax = 20 * time.Second

// startSpinning takes the CPUs away: a child does nothing but count, at the same
// priority as everybody, until the test ends.
func startSpinning(t *testing.T, cpus cpuset.Set) {
	t.Helper()
	c := startChild(t, "TestChildSpins", "", cpus)
	c.await(t, rowLine)
}

// TestChildSpins is no test but the child of startSpinning.
func TestChildSpins(t *testing.T) {
	if os.Getenv(childVariable) == "" {
		t.Skip("is for tests that start it")
	}
	fmt.Println(rowLine)
	for began := time.Now(); time.Since(began) < spinMax; {
	}
}
