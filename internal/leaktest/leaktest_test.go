package leaktest

import (
	"os"
	"slices"
	"testing"
)

func TestSeesWhatIsLeft(t *testing.T) {
	before := openDescriptors()
	file, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if got := added(before, openDescriptors()); !slices.Equal(got, []string{file.Name()}) {
		t.Errorf("open file: %q", got)
	}
	file.Close()
	if got := added(before, openDescriptors()); len(got) != 0 {
		t.Errorf("after closing: %q", got)
	}

	others := len(otherGoroutines(nil))
	running, stop, stopped := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go waitForStop(running, stop, stopped)
	<-running // before that its stack does not name it
	if got := len(otherGoroutines(nil)); got != others+1 {
		t.Errorf("%d goroutines, want one more than %d", got, others)
	}
	if got := len(otherGoroutines([]string{"leaktest.waitForStop"})); got != others {
		t.Errorf("%d goroutines although it is expected, want %d", got, others)
	}
	close(stop)
	<-stopped
}

func waitForStop(running, stop, stopped chan struct{}) {
	close(running)
	<-stop
	close(stopped)
}
