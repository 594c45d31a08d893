// Package bench holds what is measured, as files that the binary carries:
// suites, and the configurations of servers beside them. There is no logic
// here; internal/suite reads the suites.
//
//   - suites/target.yaml: the embedded server; needs nothing installed.
//   - suites/reports: every table of the three published reports, and what they left to
//     run. They are about one host and one server, and so are not in the binary: they are
//     run by path.
//   - configs/caddy: a server of HTTP/3 that is not ours.
//
// Everything here can also be given by path, so that a copy is the way to
// change it.
package bench
