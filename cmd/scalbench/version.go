package main

import "github.com/scalws/scalbench/loadgen"

// version is what -V prints: the version that results carry.
func version() string { return loadgen.Version() }
