// Package bench holds what is measured, as files that the binary carries:
// suites, and the configurations of servers beside them. There is no logic
// here; internal/suite reads the suites.
//
//   - suites/target.yaml: the embedded server; needs nothing installed.
//   - suites/nginx-sandbox.yaml: nginx in a sandbox against nginx without; its variants and
//     scenarios are files in suites/nginx-sandbox. -quick is the part of minutes.
//   - suites/build.yaml: builds of the embedded target, which builds.sh makes.
//   - sandbox: the program that sandboxes, built by `make sweep`.
//   - suites/reports: every table of the three published reports, and what they left to
//     run. They are about one host and one server, and so are not in the binary: they are
//     run by path.
//   - configs/caddy: a server of HTTP/3 that is not ours.
//
// Everything here can also be given by path, so that a copy is the way to
// change it.
package bench
