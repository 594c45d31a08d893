// Sandbox restricts itself and becomes another program: the in-process sandbox of the
// published reports, for servers that have none of their own.
//
//	sandbox [--write DIR]... [--refuse NAME,...] [--refuse-with ERROR] [--] COMMAND [ARGUMENT]...
//
// # What is applied
//
//   - fence: with Landlock, all that changes files is refused but below the directories
//     of --write. Reading is not limited. Truncating is among what is handled, as in the
//     reports' sandbox, so that the kernel looks at every file that is opened.
//   - filter: with seccomp, the system calls of --refuse end with an error (EPERM, or
//     ENOSYS as old kernels and some containers say). Without --refuse they are those
//     that no server has a use for ([uselessToServers]). No argument is looked at, so
//     that the kernel answers from its cache of actions.
//
// Both come with no_new_privs, hold for every thread, and are inherited by what is
// executed. A kernel that lacks either is an error: what is measured as sandboxed is.
//
// # As root
//
// Root is not sandboxed, and the program is executed all the same. So the server of the
// reports behaved, and their first gate compared it with itself. A suite catches it by
// what it expects of the process: Seccomp: 2, another user than root.
//
// # Reading order
//
// main.go (from arguments to the program), fence.go, filter.go.
package main
