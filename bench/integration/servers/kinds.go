package servers

import (
	"slices"
	"syscall"
)

// Names of kinds.
const (
	Go      = "go" // net/http in this process
	Nginx   = "nginx"
	H2O     = "h2o"
	Apache  = "apache2"
	HAProxy = "haproxy"
)

// Kinds are the names of all of them.
func Kinds() []string {
	names := []string{Go}
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// kind is a program that can serve the site.
type kind struct {
	name     string // of the program as well
	install  string
	args     func(dir, config string) []string
	finish   syscall.Signal    // ends it when all requests have ended
	notices  string            // begins the lines of its log that are of no request; "": there are none
	settings map[string]string // placeholders of its own, and what they are if nobody says
}

// All stay in the foreground; their log is access.log in their folder, or what
// they write to standard output, which goes there.
var kinds = []kind{
	{
		name: Nginx, install: "apt-get install nginx-light", finish: syscall.SIGQUIT,
		args: func(dir, config string) []string { return []string{"-p", dir, "-e", "error.log", "-c", config} },
		settings: map[string]string{
			"keepalive_requests": "1000000000",
			"max_streams":        "128",
			"tls_versions":       "TLSv1.2 TLSv1.3",
			"tls_http2":          "http2", // or nothing
		},
	},
	{
		name: H2O, install: "apt-get install h2o", finish: syscall.SIGTERM,
		args: func(_, config string) []string { return []string{"-c", config} },
	},
	{
		name: Apache, install: "apt-get install apache2-bin", finish: syscall.SIGWINCH,
		args:     func(dir, config string) []string { return []string{"-d", dir, "-f", config, "-D", "FOREGROUND"} },
		settings: map[string]string{"modules": "/usr/lib/apache2/modules"},
	},
	{
		name: HAProxy, install: "apt-get install haproxy", finish: syscall.SIGUSR1, notices: "Proxy ",
		args: func(_, config string) []string { return []string{"-db", "-f", config} },
	},
}

func kindCalled(name string) (kind, bool) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if i < 0 {
		return kind{}, false
	}
	return kinds[i], true
}
