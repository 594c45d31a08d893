package bench

import "embed"

// Suites holds suites/NAME.yaml.
//
//go:embed suites/*.yaml
var Suites embed.FS
