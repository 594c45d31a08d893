package bench

import "embed"

// Suites holds suites/NAME.yaml.
//
//go:embed suites/*.yaml
var Suites embed.FS

// Configs holds configs/SERVER/FILE of the servers that bench/peers starts from
// here. What only tests start is read from the folder, and not embedded.
//
//go:embed configs/caddy
var Configs embed.FS
