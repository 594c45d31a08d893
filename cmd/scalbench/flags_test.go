package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// Every option of oha 1.15 is taken or refused by name, never ignored: ""
// means taken, otherwise what it is refused for.
func TestFlagsOfOha(t *testing.T) {
	for _, tt := range []struct {
		args    string
		refused string
	}{
		{"-c 3", ""}, {"-p 1", ""}, {"-w", ""}, {"--wait-ongoing-requests-after-deadline", ""},
		{"-t 3s", ""}, {"--connect-timeout 3s", ""},
		{"-m POST", ""}, {"--method POST", ""}, {"-H a:b", ""}, {"-d x", ""}, {"-D main.go", ""}, {"-T a/b", ""}, {"-A a/b", ""},
		{"-a a:b", ""}, {"--host a", ""}, {"--http-version 1.1", ""}, {"--http-version 2", ""}, {"--http2", ""}, {"--insecure", ""}, {"--disable-keepalive", ""}, {"--ipv4", ""}, {"--ipv6", ""},
		{"-o x.json", ""}, {"--output x.json", ""}, {"--output-format json", ""},
		{"--no-tui", ""}, {"--no-color", ""}, {"--disable-color", ""}, {"--disable-compression", ""},
		{"-q 5", ""}, {"-q 0", ""}, {"-q 0.5 --latency-correction", ""}, {"--burst-delay 1s --burst-rate 5", ""},

		{"--rand-regex-url", "random URLs"}, {"--max-repeat 3", "random URLs"}, {"--dump-urls 3", "random URLs"},
		{"--urls-from-file", "lists of URLs"},
		{"--fps 3", "a live view"}, {"--debug", "dumping one exchange"},
		{"--proxy-header a:b", "a proxy"}, {"-x http://a", "a proxy"}, {"--proxy-http-version 2", "a proxy"}, {"--proxy-http2", "a proxy"},
		{"-Z x", "bodies from lines of a file"}, {"-F a=b", "forms"},
		{"--aws-session x", "AWS signatures"}, {"--aws-sigv4 x", "AWS signatures"},
		{"-r 3", "following redirects"}, {"--redirect 3", "following redirects"},
		{"--no-pre-lookup", "lookups in the run"},
		{"--connect-to a:1:b:2", "connecting elsewhere"}, {"--unix-socket x", "Unix sockets"}, {"--vsock-addr 1:2", "VM sockets"},
		{"--stats-success-breakdown", "statistics by status"}, {"--db-url x", "SQLite output"},
		{"-u ms", "choosing the time unit"}, {"--time-unit ms", "choosing the time unit"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			// -n 0 is wrong, so that what is taken does not run either.
			args := append([]string{"http://127.0.0.1:1/", "-n", "0"}, strings.Fields(tt.args)...)
			var stdout, stderr bytes.Buffer
			code := run(args, streams{in: strings.NewReader(""), out: &stdout, err: &stderr})
			flag, _, _ := strings.Cut(tt.args, " ")
			want := "scalbench: -n 0: want at least 1 request\n"
			if tt.refused != "" {
				want = fmt.Sprintf("scalbench: flag %s is not supported yet (%s)\n", flag, tt.refused)
			}
			if code != exitUsage || stderr.String() != want || stdout.Len() != 0 {
				t.Errorf("code %d, stdout %q, stderr %q, want code 2 and %q", code, stdout.String(), stderr.String(), want)
			}
		})
	}
}

// A flag cannot be both: taken and in the table of those that are refused.
func TestUnsupportedFlagsAreNot(t *testing.T) {
	load := newLoad(streams{})
	for name := range unsupportedFlags() {
		short, long := strings.TrimPrefix(name, "-"), strings.TrimPrefix(name, "--")
		if len(short) == 1 && load.Flags().ShorthandLookup(short) != nil || load.Flags().Lookup(long) != nil {
			t.Errorf("%s is refused, but there is such a flag", name)
		}
	}
}

// Whatever is the nearest to a mistyped flag is one that exists and is listed.
func TestNearestFlag(t *testing.T) {
	load := newLoad(streams{})
	for _, tt := range []struct{ typed, want string }{
		{"--conections", "--connections"},
		{"--Duration", "--duration"},
		{"--out-put", "--output"},
		{"--frobnicate", ""},
		{"-X", ""},
	} {
		if got := nearestFlag(load, tt.typed); got != tt.want {
			t.Errorf("nearest to %s is %q, want %q", tt.typed, got, tt.want)
		}
	}
}
