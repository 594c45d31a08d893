// Package bench holds what is measured, as files that the binary carries:
// suites now, the configurations of servers and applications beside them
// later. There is no logic here; internal/suite reads the suites.
//
//   - suites/target.yaml: the embedded server; needs nothing installed.
//
// Everything here can also be given by path, so that a copy is the way to
// change it.
package bench
