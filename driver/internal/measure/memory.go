package measure

import (
	"errors"
	"fmt"

	"github.com/scalws/scalbench/internal/procfs"
)

// ProcessMemory is where the memory of one process lies, by nodes (NUMA). On a host of
// several nodes it is one reason why the same server can have two speeds.
type ProcessMemory struct {
	PID int `json:"pid"`
	procfs.Placement
}

const (
	memoryProcesses = 64 // of which the memory is looked at
	memoryFiles     = 16 // that are kept of each, the largest
)

// readMemory looks where the memory of the server lies, after the window: the kernel walks
// through all of it. What cannot be seen is a note.
func (m *measurement) readMemory() {
	if m.evidence.Server == nil {
		return
	}
	proc := procfs.NewFS(procDir)
	for n, w := range m.evidence.Server.Workers {
		if n == memoryProcesses {
			m.evidence.Notes = append(m.evidence.Notes, fmt.Sprintf("of %d processes only the memory of %d was looked at", len(m.evidence.Server.Workers), n))
			return
		}
		p, err := proc.Placement(w.PID)
		switch {
		case errors.Is(err, procfs.ErrGone):
			continue
		case err != nil:
			m.evidence.Notes = append(m.evidence.Notes, fmt.Sprintf("on which node the memory of the server lies is n/a: %v", err))
			return
		}
		p.Files = p.Files[:min(memoryFiles, len(p.Files))]
		m.evidence.Memory = append(m.evidence.Memory, ProcessMemory{w.PID, p})
	}
}
