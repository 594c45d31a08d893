// Package arch holds the rules that the source of this module must keep, as
// code: which package may import which, what packages are called, how long
// files and functions may be. It is used by its own test alone, so that
// `go test ./...` is all it takes and no linter has to be installed.
//
// # Terms
//
//   - room: a directory of the module with all below it, such as loadgen or
//     internal/suite.
//   - floor: the rooms that stand beside each other. A package imports from its
//     own room and from the floors below, never sideways or upwards.
//   - rule: a function that finds faults in source files. It reads nothing but
//     what it is given, so that each can be shown to fail on a few made-up lines.
//   - fault: one place where a rule is broken, with the reason.
//
// # Flow
//
//  1. [ReadModule] parses every Go file of the module, whatever its build
//     constraints: a file for another operating system has to keep the rules too.
//  2. [Check] lets every rule look at them and returns the faults.
//
// Rooms that do not exist yet stand in the table of floors already; a directory
// that is in none is a fault, so that nothing is built beside the plan.
//
// Read source.go, rules.go, floors.go (the import table), then outside.go,
// names.go and size.go.
package arch
