package suite

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each faulty file must give exactly these faults, in this order. Lines count
// from the first of the text, since the leading newline is cut.
func TestFaults(t *testing.T) {
	for _, test := range []struct{ name, yaml, want string }{
		{"unknown keys", `
suite: s
tarjet: embedded
colour: red
name: s
scenarios:
  - name: a
    url: http://h/
    conections: 5
    zzz: 1
`, `
2:1: unknown key "tarjet" in a suite; did you mean "target"?
3:1: unknown key "colour" in a suite; known are suite, about, params, target, host, placement, plan, quiet, require, variants, scenarios, compare, gate, profile, helpers, varies
4:1: key "name" in a suite: a suite has its name under the key "suite"
8:5: unknown key "conections" in a scenario; did you mean "connections"?
9:5: unknown key "zzz" in a scenario; known are name, about, url, http, tls, connections, streams, load, requests_per_conn, method, headers, body, warmup, measure, expect, needs, helpers, bound, control, margin, varies, expected, mode, stand_in, programs, install
`},
		{"not yet", `
suite: s
cpus: {server: 0}
placement: {}
scenarios:
  - name: a
    url: https://h/
    http: 3
    tls: {cert: c.pem, key: k.pem}
    load: {kind: open, rate: 70, deadlime: 1s, connections: 3}
    expect: {sha256: 00ff}
    streams: 10
    rate: 5
`, `
2:1: key "cpus" in a suite: it is "placement"
8:11: key "cert" in tls: certificates of clients are not supported yet
8:24: key "key" in tls: certificates of clients are not supported yet
9:34: unknown key "deadlime" in load; known are kind, rate, arrival
9:48: key "connections" in load: it stands in the scenario, beside load
10:22: sha256: "00ff", expected 64 of 0-9 a-f
12:5: key "rate" in a scenario: it stands in load: {kind: open, rate: 1000}
`},
		{"loads", `
suite: s
scenarios:
  - {name: a, url: http://h/, load: {kind: open}}
  - {name: b, url: http://h/, load: {rate: 5}}
  - {name: c, url: http://h/, load: {kind: closed, rate: 5, arrival: poisson}}
  - {name: d, url: http://h/, load: {kind: open, rate: [5], arrival: random}}
  - {name: e, url: http://h/, load: {kind: open, rate: "", arrival: }}
  - {name: f, url: http://h/, load: {kind: opne, rate: 5}}
  - {name: g, url: http://h/, load: {kind: open, rate: 101%}}
  - {name: i, url: http://h/, load: {kind: closed, rate: 70%}}
`, `
3:44: kind: open needs the key "rate" beside it
4:37: load needs the key "kind"
5:52: key "rate" in load: only kind: open has it, a closed load follows the server
5:61: key "arrival" in load: only kind: open has it, a closed load follows the server
6:56: rate: a list, expected requests a second such as 1000
6:70: arrival: "random", expected constant or poisson
7:56: rate: an empty text, expected requests a second such as 1000
7:68: arrival: nothing, expected constant or poisson
8:44: kind: "opne", expected closed or open
9:56: rate: "101%", expected a share from 1% to 100% such as 5% or 0.05
10:52: key "rate" in load: only kind: open has it, a closed load follows the server
`},
		{"twice", `
suite: s
suite: t
scenarios:
  - name: a
    url: http://h/
    "url": http://i/
  - {name: a, url: http://h/, headers: {X-A: 1, x-a: 2}}
  - name: b
    url: http://h/
    needs: [http, http]
`, `
2:1: key "suite" is there twice in a suite, first on line 1
6:5: key "url" is there twice in a scenario, first on line 5
7:12: scenario "a" is there twice, first on line 4
7:49: header "x-a" is there twice, first on line 7; a list of headers may repeat it
10:19: needs: "http" is there twice
`},
		{"missing", `
about: x
scenarios:
  - about: y
    load: {}
  -
`, `
1:1: a suite needs the key "suite"
3:5: a scenario needs the key "name"
3:5: a scenario needs the key "url"
4:11: load needs the key "kind"
5:5: a scenario: nothing, expected a mapping of keys to values
`},
		{"ranges", `
suite: Über Suite
target: embeded
scenarios:
  - name: -x
    url: http://h/
    http: 1.0
    connections: 0
    requests_per_conn: -1
    warmup: 61m
    measure: 0s
    expect: {status: 199, bytes: 1.5}
    bound: client
    control: yes
    method: get
  - name: b
    url: http://h/
    connections: 010
    requests_per_conn: 99999999999999999999
    warmup: 10
    measure: ten
    expect: {status: 600, bytes: -1}
`, `
1:8: suite: "Über Suite", expected 1 to 64 of a-z 0-9 . _ - with a letter or digit first
2:9: target: "embeded", expected embedded
4:11: name: "-x", expected 1 to 64 of a-z 0-9 . _ - with a letter or digit first
6:11: http: "1.0", expected 1.1, 2 or 3
7:18: connections: "0", expected a whole number from 1 to 1000000
8:24: requests_per_conn: "-1", expected a whole number from 0 to 1000000000
9:13: warmup: "61m", expected a duration from 0s to 1h0m0s such as 10s
10:14: measure: "0s", expected a duration from 1ms to 24h0m0s such as 10s
11:22: status: "199", expected a whole number from 200 to 599
11:34: bytes: "1.5", expected a whole number from 0 to 1099511627776
12:12: bound: "client", expected server or app
13:14: control: "yes", expected true or false
14:13: method: "get", expected capitals such as GET
17:18: connections: "010", expected a whole number from 1 to 1000000
18:24: requests_per_conn: "99999999999999999999", expected a whole number from 0 to 1000000000
19:13: warmup: "10", expected a duration from 0s to 1h0m0s such as 10s
20:14: measure: "ten", expected a duration from 1ms to 24h0m0s such as 10s
21:22: status: "600", expected a whole number from 200 to 599
21:34: bytes: "-1", expected a whole number from 0 to 1099511627776
`},
		{"wrong kinds", `
suite: [s]
about:
target: {x: 1}
scenarios:
  - name: {a: b}
    url: [x]
    http:
    load: closed
    headers: x
    expect: 200
    needs: http
  - [a]
  - name: b
    url: http://h/
    connections: [1]
    measure: {s: 1}
    headers: [X-A, {X-B: }, {X-C: [1]}]
    needs: [[http], 7!]
`, `
1:8: suite: a list, expected a name
2:7: about: nothing, expected a sentence
3:9: target: a mapping, expected embedded
5:11: name: a mapping, expected a name
6:10: url: a list, expected a path or a URL
7:10: http: nothing, expected 1.1, 2 or 3
8:11: load: a value, expected a mapping of keys to values
9:14: headers: a value, expected a mapping of keys to values
10:13: expect: a value, expected a mapping of keys to values
11:12: needs: a value, expected a list of words such as [http]
12:5: a scenario: a list, expected a mapping of keys to values
15:18: connections: a list, expected a whole number
16:14: measure: a mapping, expected a duration such as 10s
17:15: headers: a value, expected a mapping of keys to values
17:25: X-B: nothing, expected the text of a header, "" for an empty one
17:35: X-C: a list, expected the text of a header, "" for an empty one
18:13: needs: a list, expected a name
18:21: needs: "7!", expected 1 to 64 of a-z 0-9 . _ - with a letter or digit first
`},
		{"urls and headers", `
suite: s
scenarios:
  - {name: a, url: /x}
  - {name: b, url: "http://h/a b"}
  - {name: c, url: "http://h/#f"}
  - {name: d, url: h/x}
  - {name: e, url: "http:///x"}
  - {name: f, url: "http://u:p@h/"}
  - {name: g, url: "//h/x"}
  - {name: h, url: "http://h/%zz"}
  - {name: i, url: "http://h/é", about: "two\nlines"}
  - name: j
    url: http://h/
    headers:
      "X A": 1
      X-B: "a\r\nEvil: 1"
`, `
3:20: url: "/x" is a path, expected "target: embedded" in the suite or a full URL
4:20: url: "http://h/a b", expected visible ASCII without #, everything else percent-encoded
5:20: url: "http://h/#f", expected visible ASCII without #, everything else percent-encoded
6:20: url: "h/x", expected a path such as /x or http://HOST:PORT/PATH
7:20: url: "http:///x", expected a path such as /x or http://HOST:PORT/PATH
8:20: url: "http://u:p@h/", expected a path such as /x or http://HOST:PORT/PATH
9:20: url: "//h/x", expected a path such as /x or http://HOST:PORT/PATH
10:20: url: "http://h/%zz" is not a URL, expected a path such as /x or http://HOST:PORT/PATH
11:20: url: "http://h/é", expected visible ASCII without #, everything else percent-encoded
11:41: about: expected one line of 1 to 200 characters
15:7: header name "X A", expected letters, digits and - only
16:12: header X-B: expected one line without control characters
`},
		{"tls and streams", `
suite: s
target: embedded
scenarios:
  - {name: a, url: "http://h/", tls: {}}
  - {name: b, url: /x, tls: {ca: ca.pem, verify: false}}
  - {name: c, url: /x, http: 2}
  - {name: d, url: /x, streams: 2}
  - {name: e, url: "https://h/", http: 1.1, streams: 1000}
  - {name: f, url: "http://h/", http: 2, streams: 1001}
  - {name: g, url: /x, tls: {verfy: false, insecure: true}}
  - {name: h, url: /x, tls: {verify: no, ca: "", sni: 127.0.0.1}}
  - {name: i, url: /x, tls: {verify: {}, ca: [x], sni: [y]}}
  - {name: j, url: /x, tls: {sni: "::1"}}
  - {name: k, url: /x, tls: {sni: www.example.com.}}
  - {name: l, url: /x, tls: }
  - {name: m, url: /x, tls: true, streams: 0}
  - {name: n, url: /x, tls: {}, helpers: [{name: upstream, command: [x]}]}
  - {name: o, url: /x, http: 3, streams: 9}
  - {name: p, url: "HTTP://h/", http: 3, tls: {}}
  - {name: q, url: "http://h/", http: 3}
  - {name: r, url: /x, http: 4, tls: {}, streams: 9}
`, `
4:33: tls: the url http://h/ is cleartext, expected https://
5:34: ca: the certificate of the suite's target is made for the run, expected no ca
5:34: ca: with verify: false nothing is verified, expected one of them
6:30: http: 2 of the suite's target is there over TLS only, expected the key tls: {} beside it
7:33: streams: 2, but HTTP/1.1 carries one request at a time on a connection, expected http: 2 or 3 beside it
8:54: streams: 1000, but HTTP/1.1 carries one request at a time on a connection, expected http: 2 or 3 beside it
9:51: streams: "1001", expected a whole number from 1 to 1000
10:30: unknown key "verfy" in tls; did you mean "verify"?
10:44: key "insecure" in tls: it is verify: false here
11:38: verify: "no", expected true or false
11:46: ca: "", expected the path of a file
11:55: sni: "127.0.0.1", expected a host name such as www.example.com, no address
12:38: verify: a mapping, expected true or false
12:46: ca: a list, expected the path of a file
12:56: sni: a list, expected a host name
13:35: sni: "::1", expected a host name such as www.example.com, no address
14:35: sni: "www.example.com.", expected a host name such as www.example.com, no address
15:28: tls: nothing, expected a mapping of keys to values
16:29: tls: a value, expected a mapping of keys to values
16:44: streams: "0", expected a whole number from 1 to 1000
17:24: tls: the suite's target asks an upstream in cleartext only, expected no helper "upstream"
18:30: http: 3 of the suite's target is there over TLS only, expected the key tls: {} beside it
19:39: http: 3 is never in cleartext, as the url HTTP://h/ is, expected https://
19:42: tls: the url HTTP://h/ is cleartext, expected https://
20:39: http: 3 is never in cleartext, as the url http://h/ is, expected https://
21:30: http: "4", expected 1.1, 2 or 3
`},
		{"helpers", `
suite: s
scenarios:
  - name: a
    url: http://h/
    helpers:
      - name: upstream
        comand: [x]
        ready: {path: /ok}
        url: http://h/
      - {name: server, command: [], cpus: generator}
      - {name: upstream, command: scalbench target}
      - {name: Up, command: ["", [x], "a\0b"], cpus: [0]}
      - {cpus: upstream}
      - upstream
  - {name: b, url: http://h/, helpers: upstream}
  - {name: c, url: http://h/, helpers: [{name: x, command: [x], cpus: 0-3}, {name: x, command: [y]}]}
`, `
6:9: a helper needs the key "command"
7:9: unknown key "comand" in a helper; did you mean "command"?
8:16: ready needs the key "url"
8:17: unknown key "path" in ready; known are url, status, body, timeout
9:9: key "url" in a helper: a helper says its URL itself, in its first line; another program's is that of ready
10:16: name: "server" is the server that is measured, expected another name for a helper
10:33: command: an empty list, expected a program and its arguments
10:43: cpus: "generator", expected upstream or server
11:16: helper "upstream" is there twice, first on line 6
11:35: command: a value, expected a list of a program and its arguments such as [scalbench, target]
12:16: name: "Up", expected 1 to 64 of a-z 0-9 . _ - with a letter or digit first
12:30: command: an empty text, expected a program
12:34: command: a list, expected a program or an argument, as text
12:39: command: a NUL in "a\x00b"
12:54: cpus: a list, expected upstream or server
13:9: a helper needs the key "name"
13:9: a helper needs the key "command"
14:9: a helper: a value, expected a mapping of keys to values
15:40: helpers: a value, expected a list of helpers such as [{name: upstream, command: [scalbench, target]}]
16:71: cpus: "0-3", expected upstream or server
16:84: helper "x" is there twice, first on line 16
`},
		{"indirections", `
suite: &name s
about: !!str x
scenarios:
  - &a
    name: a
  - *a
  - <<: {name: b}
    ? url
    : http://h/
    name: *name
`, `
1:8: suite: a YAML anchor is not supported here, write the value out
2:8: about: a YAML tag is not supported here, write the value out
4:5: a scenario: a YAML anchor is not supported here, write the value out
6:5: a scenario: a YAML alias is not supported here, write the value out
7:5: a YAML merge key as a key, expected a plain word
7:5: a scenario needs the key "url"
8:5: an explicit YAML key as a key, expected a plain word
10:11: name: a YAML alias is not supported here, write the value out
`},
		{"no scenarios", `
suite: s
scenarios: []
`, `
2:12: scenarios: an empty list, expected at least one
`},
		{"empty", ``, `
1:1: empty, expected a suite
`},
		{"comments only", `
# nothing
`, `
1:1: empty, expected a suite
`},
		{"not a mapping", `
- suite: s
`, `
1:1: a suite: a list, expected a mapping of keys to values
`},
		{"two documents", `
suite: s
scenarios: []
---
suite: t
`, `
4:1: a second document, expected a suite alone
`},
		{"directive", `
%YAML 1.2
---
suite: t
`, `
1:1: a YAML directive, expected none
`},
		{"bracket", `
suite: s
scenarios: [
`, `
2:12: no YAML: sequence end token ']' not found
`},
		{"tab", "suite: s\nscenarios:\n\t- name: a\n", `
3:1: no YAML: found character '	' that cannot start any token
`},
		{"not UTF-8", "suite: s\nabout: \u00fcber\xff\n", `
2:12: a byte that is not UTF-8 text
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := Parse("f", []byte(strings.TrimPrefix(test.yaml, "\n")))
			if err == nil || s != nil {
				t.Fatalf("suite %v, error %v; want faults alone", s, err)
			}
			got := strings.ReplaceAll(err.Error(), "f:", "")
			if diff := cmp.Diff(strings.TrimSpace(test.want), strings.TrimSpace(got)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
