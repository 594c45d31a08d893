package bench

import "embed"

// Files holds suites/NAME.yaml, and configs/SERVER/FILE of the servers that suites
// or bench/peers start from here. What only tests start is read from the folder,
// and not embedded.
//
//go:embed suites/*.yaml suites/nginx-sandbox configs/caddy configs/haproxy configs/nginx
var Files embed.FS
