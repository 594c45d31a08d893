package target

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestValidate(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	secure, other := secureConfig(t), secureConfig(t)
	for _, test := range []struct {
		name string
		cfg  Config
		want string
	}{
		{"zero", Config{}, ""},
		{"all", Config{Listen: "localhost:8080", Dir: dir}, ""},
		{"every interface", Config{Listen: ":0"}, ""},
		{"v6", Config{Listen: "[::1]:65535"}, ""},
		{"no port", Config{Listen: "127.0.0.1"}, `listen address "127.0.0.1": expected host:port such as 127.0.0.1:0`},
		{"port too high", Config{Listen: "127.0.0.1:65536"},
			`listen address "127.0.0.1:65536": port "65536": expected a number from 0 to 65535`},
		{"both wrong", Config{Listen: "a:b", Dir: file},
			`listen address "a:b": port "b": expected a number from 0 to 65535` + "\n" +
				`directory of the static files: "` + file + `" is not a directory`},
		{"upstream", Config{Upstream: "http://127.0.0.1:8081", UpstreamTimeout: time.Millisecond}, ""},
		{"upstream by name", Config{Upstream: "http://localhost:8081", UpstreamTimeout: time.Minute}, ""},
		{"upstream v6", Config{Upstream: "http://[::1]:8081"}, ""},
		{"upstream without a port", Config{Upstream: "http://h"}, `upstream "http://h": expected http://HOST:PORT`},
		{"upstream with a path", Config{Upstream: "http://h:1/x"}, `upstream "http://h:1/x": expected http://HOST:PORT`},
		{"upstream with a slash", Config{Upstream: "http://h:1/"}, `upstream "http://h:1/": expected http://HOST:PORT`},
		{"upstream with a user", Config{Upstream: "http://u@h:1"}, `upstream "http://u@h:1": expected http://HOST:PORT`},
		{"upstream https", Config{Upstream: "https://h:1"}, `upstream "https://h:1": expected http://HOST:PORT`},
		{"upstream alone", Config{Upstream: "h:1"}, `upstream "h:1": expected http://HOST:PORT`},
		{"upstream placeholder", Config{Upstream: "{upstream}"}, `upstream "{upstream}": expected http://HOST:PORT`},
		{"upstream port too high", Config{Upstream: "http://h:65536"},
			`upstream "http://h:65536": port "65536": expected a number from 0 to 65535`},
		{"upstream timeouts", Config{UpstreamTimeout: -1},
			"upstream timeout -1ns: expected a duration from 1ms to 1m0s, or 0 for 5s"},
		{"upstream timeout too long", Config{UpstreamTimeout: time.Hour},
			"upstream timeout 1h0m0s: expected a duration from 1ms to 1m0s, or 0 for 5s"},
		{"headers", Config{Headers: []string{"X-A: 1", "x-a:", "x-b:\t2 "}}, ""},
		{"no headers", Config{Headers: []string{"X-A", "X A: 1", ": 1", "", "X-A: 1\r\nX-B: 2"}},
			`header "X-A": expected "Name: value"` + "\n" + `header "X A: 1": expected "Name: value"` + "\n" +
				`header ": 1": expected "Name: value"` + "\n" + `header "": expected "Name: value"` + "\n" +
				`header "X-A: 1\r\nX-B: 2": its value holds a control character`},
		{"own headers", Config{Headers: []string{"content-length: 2", "TE: trailers"}},
			`header "content-length: 2": Content-Length is what the server says itself` + "\n" +
				`header "TE: trailers": Te is what the server says itself`},
		{"certificate", secure, ""},
		{"HTTP/3", Config{Cert: secure.Cert, Key: secure.Key, HTTP3: true}, ""},
		{"HTTP/3 alone", Config{HTTP3: true}, "HTTP/3: expected a certificate and its key, it is never in cleartext"},
		{"HTTP/3 without a key", Config{Cert: "c.pem", HTTP3: true}, `certificate "c.pem": expected its key as well`},
		{"certificate alone", Config{Cert: "c.pem"}, `certificate "c.pem": expected its key as well`},
		{"key alone", Config{Key: "k.pem"}, `key "k.pem": expected the certificate that it belongs to as well`},
		{"certificate and upstream", Config{Cert: secure.Cert, Key: secure.Key, Upstream: "http://h:1"},
			`upstream "http://h:1": expected none with a certificate, what asks it is there in cleartext only`},
		{"empty certificate", Config{Cert: file, Key: secure.Key},
			`certificate "` + file + `" with key "` + secure.Key + `": tls: failed to find any PEM data in certificate input`},
		{"no certificate", Config{Cert: file + "x", Key: secure.Key},
			`certificate "` + file + `x" with key "` + secure.Key + `": open ` + file + `x: no such file or directory`},
		{"another's key", Config{Cert: secure.Cert, Key: other.Key},
			`certificate "` + secure.Cert + `" with key "` + other.Key + `": tls: private key does not match public key`},
		{"no directory", Config{Dir: filepath.Join(dir, "x")},
			"directory of the static files: stat " + filepath.Join(dir, "x") + ": no such file or directory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := errorText(test.cfg.Validate()); got != test.want {
				t.Errorf("Validate: %q, want %q", got, test.want)
			}
		})
	}
}
