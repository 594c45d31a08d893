package cpuset

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// pinHelper makes the test binary pin itself to the CPUs it names, and print
// what its threads are allowed then. A process of its own is needed because
// pinning a whole process would stay with the other tests.
const pinHelper = "CPUSET_TEST_PIN_PROCESS"

func TestMain(m *testing.M) {
	if list := os.Getenv(pinHelper); list != "" {
		pinAndPrint(list)
		return
	}
	os.Exit(m.Run())
}

func pinAndPrint(list string) {
	started := make(chan bool)
	for range 4 { // threads beside the main one
		go func() {
			runtime.LockOSThread()
			started <- true
			select {}
		}()
		<-started
	}
	s, err := Parse(list)
	if err == nil {
		err = SetProcess(s)
	}
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		fmt.Println("error:", err)
	}
	for _, task := range tasks {
		fmt.Println(statusField("/proc/self/task/"+task.Name()+"/status", "Cpus_allowed_list:"))
	}
}

// statusField returns the text after a key of a status file.
func statusField(path, key string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, key); ok {
			return strings.TrimSpace(rest)
		}
	}
	return "no " + key
}

func TestAllowedIsWhatTheKernelLists(t *testing.T) {
	s, err := Allowed()
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	var listed Set // of any thread
	for _, task := range tasks {
		list, err := Parse(statusField("/proc/self/task/"+task.Name()+"/status", "Cpus_allowed_list:"))
		if err != nil {
			t.Fatal(err)
		}
		listed = listed.Union(list)
	}
	if s != listed {
		t.Errorf("Allowed() = %q, the kernel lists %q", s, listed)
	}
}

func TestSetThread(t *testing.T) {
	allowed, err := Allowed()
	if err != nil {
		t.Fatal(err)
	}
	last := allowed.CPUs()[allowed.Count()-1]
	one, err := Of(last)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan string)
	go func() { // the pinned thread ends with this goroutine
		runtime.LockOSThread()
		if err := SetThread(one); err != nil {
			got <- err.Error()
			return
		}
		got <- statusField("/proc/thread-self/status", "Cpus_allowed_list:")
	}()
	if list := <-got; list != one.String() {
		t.Errorf("the pinned thread is allowed %q, want %q", list, one)
	}
	if after, err := Allowed(); err != nil || after != allowed {
		t.Errorf("pinning one thread changed the process to %q, %v", after, err)
	}
	if err := SetThread(Set{}); err == nil || !strings.Contains(err.Error(), `pin thread to CPUs ""`) {
		t.Errorf("SetThread of the empty set: error = %v", err)
	}
}

func TestSetProcess(t *testing.T) {
	allowed, err := Allowed()
	if err != nil {
		t.Fatal(err)
	}
	first, err := Of(allowed.CPUs()[0])
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), pinHelper+"="+first.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	threads := 0
	for lines := bufio.NewScanner(strings.NewReader(string(out))); lines.Scan(); threads++ {
		if lines.Text() != first.String() {
			t.Errorf("thread %d is allowed %q, want %q", threads, lines.Text(), first)
		}
	}
	if threads < 5 { // the main thread and the four locked ones
		t.Errorf("only %d threads were looked at, want at least 5", threads)
	}
}
