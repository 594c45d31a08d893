package procfs

import (
	"os"
	"os/exec"
	"testing"
)

// A child of a child of this test is found.
func TestOwnDescendants(t *testing.T) {
	cmd := exec.Command("sh", "-c", "cat; true") // a shell waits for cat, since more is to be done
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skipf("no shell here: %v", err)
	}
	defer func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	}()
	until(t, "the shell's child", func() bool {
		tree, err := NewFS("/proc").Descendants([]int{os.Getpid()})
		if err != nil {
			t.Fatal(err)
		}
		below, shell := 0, false
		for _, pid := range tree {
			if pid == cmd.Process.Pid {
				shell = true
			} else if pid != os.Getpid() {
				below++
			}
		}
		return shell && below >= 1
	})
}
