// Package units writes numbers for people, and reads the counts people write.
//
// Every function is pure. Numbers arrive in the unit that their name or type
// says; none leaves rounded for further computing. What a reader sees has two
// or three significant digits, because a load test seldom knows more, and one
// unit for all the values of a row, because "p99 9.8 ms  max 1.2 s" is misread.
//
// Groups of three digits are separated by a plain ASCII space ("12 431"): a
// narrow or no-break space looks better and breaks grep, cut and terminals.
//
// A value that is not a number is written [NotAvailable], never 0.
//
// Read count.go (whole numbers), duration.go (latency rows), quantity.go
// (rates, bytes, percent, CPU time).
package units
