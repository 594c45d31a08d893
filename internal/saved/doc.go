// Package saved keeps the results of the last load tests of a user, so that one can be
// held against another that nobody thought of keeping.
//
// # Terms
//
//   - entry: one result as it was written, with what was measured in a word that two
//     results share when one may be held against the other (Entry.Plan).
//   - number: of an entry, counted from 1 and never given twice.
//   - state folder: where programs of a user keep such things (XDG Base Directory
//     Specification, XDG_STATE_HOME).
//
// # Flow
//
//  1. [Folder] finds the folder in an environment, [Store] is the entries in it.
//  2. [Store.Add] gives an entry the next number, writes it whole or not at all, and
//     deletes the oldest beyond [Kept]. Several programs may do so at once.
//  3. [Store.Find] reads one by what a person calls it, [Store.Before] the newest of the
//     same plan.
//
// Read store.go, then reference.go.
package saved
