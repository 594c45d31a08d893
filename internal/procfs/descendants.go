package procfs

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// Descendants returns the given processes and all below them that are there,
// ascending. Zombies are: their CPU time can still be read.
//
// It reads /proc/PID/task/*/children, a file for each thread of the tree, where
// [FS.Tree] reads one for each process of the host: on a host with a thousand
// processes that is the difference between a sampler that nobody feels and one
// that takes a hundredth of a CPU. The price is that a child whose parent ends
// between two of the files may be missed; a caller that looks again and again
// finds those that are still below the tree. Where the kernel was built without
// these files (CONFIG_PROC_CHILDREN) every process is looked at after all.
func (f FS) Descendants(roots []int) ([]int, error) {
	tree, err := descend(roots, f.startedChildren)
	if !errors.Is(err, errNoChildrenFile) {
		return tree, err
	}
	byParent, err := f.childrenByParent()
	if err != nil {
		return nil, err
	}
	return descend(roots, func(pid int) ([]int, error) {
		_, err := f.Stat(pid)
		return byParent[pid], err
	})
}

// descend walks down from the roots. A process of which childrenOf says [ErrGone]
// is not in the result; every one is looked at once, so that a PID that was used
// again below itself makes no loop.
func descend(roots []int, childrenOf func(pid int) ([]int, error)) (tree []int, err error) {
	known := make(map[int]bool)
	for next := slices.Clone(roots); len(next) > 0; next = next[1:] {
		pid := next[0]
		if known[pid] {
			continue
		}
		known[pid] = true
		children, err := childrenOf(pid)
		if errors.Is(err, ErrGone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		tree = append(tree, pid)
		next = append(next, children...)
	}
	slices.Sort(tree)
	return tree, nil
}

// errNoChildrenFile says that a process is there and none of its threads has one.
var errNoChildrenFile = errors.New("no children file")

// startedChildren reads the children that each thread of a process has started.
func (f FS) startedChildren(pid int) (children []int, err error) {
	threads, err := f.threads(pid)
	if err != nil {
		return nil, err
	}
	absent := 0
	for _, tid := range threads {
		data, err := f.readProcess(pid, "task/"+strconv.Itoa(tid)+"/children")
		if errors.Is(err, ErrGone) {
			absent++
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, text := range bytes.Fields(data) {
			child, err := strconv.Atoi(string(text))
			if err != nil {
				return nil, fmt.Errorf("read children of thread %d: %q is not a process", tid, text)
			}
			children = append(children, child)
		}
	}
	if absent < len(threads) {
		return children, nil
	}
	if _, err := f.Stat(pid); err != nil {
		return nil, err // it ended meanwhile
	}
	return nil, errNoChildrenFile
}
