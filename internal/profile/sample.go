package profile

// Sample is what a CPU did at one moment.
type Sample struct {
	PID   int    // of the process; 0: the CPU was idle
	Comm  string // name of the thread
	Stack []Frame
}

// Frame is a function of a stack. The first of a stack is the leaf, which was running; the
// one after it had called it, and so on.
type Frame struct {
	Symbol string // [Unknown] where nobody knows it
	Module string // file, or what stands for one, such as [kernel.kallsyms]; [Unknown] likewise
	Kernel bool
}

// Unknown is the name of what has none, as perf writes it.
const Unknown = "[unknown]"
