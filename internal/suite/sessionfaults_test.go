package suite

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// As TestFaults, for what sessions need. "f:" is cut from the faults; other files
// are named.
func TestSessionFaults(t *testing.T) {
	files := fstest.MapFS{
		"v/bad.yaml":   {Data: []byte("name: bad\ncomand: [x]\nconfig: {from: ../none.conf}\n")},
		"v/empty.yaml": {Data: []byte("# nothing\n")},
		"v/list.yaml":  {Data: []byte("- name: x\n")},
		"v/twin.yaml":  {Data: []byte("name: a\ncommand: [x]\n")},
		"v/c.yaml":     {Data: []byte("a: 1\n")},
		"sc/x.yaml":    {Data: []byte("name: x\nurl: x\nconections: 3\n")},
	}
	for _, test := range []struct {
		name   string
		params map[string]string
		yaml   string
		want   string
	}{
		{"placement", nil, `
suite: s
placement: {server: 0-3, generator: 3-7, upstrem: 1}
scenarios: [{name: a, url: http://h/}]
`, `
2:37: generator: CPUs 3 are the server's or the upstream's too, expected others
2:42: unknown key "upstrem" in placement; did you mean "upstream"?
`},
		{"placement in braces", nil, `
suite: s
placement: {generator: 8-15,24-31, server: "0-", upstream: []}
scenarios: [{name: a, url: http://h/}]
`, `
2:29: key "24-31" in placement: a comma ends a value in braces, write the CPUs in quotes or as a list
2:44: server: "0-", expected CPUs such as 0-3, or [0-3, 8]
2:60: upstream: no CPU, expected CPUs such as 0-3, or [0-3, 8]; without the key they are chosen
`},
		{"plan, quiet and require", nil, `
suite: s
host: "a b"
plan: {preset: qick, rounds: 4, max_rounds: 3, runs: 0, warmup: -1s, measure: 10, order: rotat, interleave: x, restart: [], seed: -1, round: 1}
quiet: {load1: 0, busy: 101%, timeout: 25h, load: 1}
require: [governor, governor=a, governor=b, "a= b", [x]]
scenarios: [{name: a, url: http://h/}]
`, `
2:7: host: "a b", expected 1 to 64 of a-z 0-9 . _ - with a letter or digit first
3:16: preset: no preset "qick"; did you mean "quick"?
3:45: max_rounds: 3 is less than the 4 rounds there are anyway
3:54: runs: "0", expected a whole number from 1 to 100
3:65: warmup: "-1s", expected a duration from 0s to 1h0m0s such as 10s
3:79: measure: "10", expected a duration from 1ms to 24h0m0s such as 10s
3:90: order: "rotat", expected rotate, counterbalanced or random
3:109: interleave: "x", expected variant, scenario or sliced
3:121: restart: a list, expected run or measurement
3:131: seed: "-1", expected a whole number from 0 to 9007199254740991
3:135: unknown key "round" in plan; did you mean "rounds"?
4:16: load1: "0", expected a number from 0.01 to 10000 such as 1.15
4:25: busy: "101%", expected a share from 0.01% to 100% such as 5% or 0.05
4:40: timeout: "25h", expected a duration from 0s to 24h0m0s such as 10s
4:45: unknown key "load" in quiet; did you mean "load1"?
5:11: require: "governor", expected KEY=VALUE such as governor=performance
5:33: require: "governor" is there twice, first on line 5
5:45: require: "a= b", expected KEY=VALUE such as governor=performance
5:53: require: a list, expected a text such as governor=performance
`},
		{"restart that contradicts", nil, `
suite: s
plan: {interleave: scenario, restart: run}
scenarios: [{name: a, url: http://h/}]
`, `
2:39: restart: run, but interleave: scenario changes the server after each measurement, expected restart: measurement
`},
		{"turns without a rule or anybody to take them with", nil, `
suite: s
plan: {interleave: sliced}
scenarios: [{name: a, url: http://h/}]
`, `
2:20: interleave: sliced is judged by the pairs of slices, which only policy: noninferior does, and the gate's is parity
2:20: interleave: sliced, but nothing is compared; expected compare: [{base: ..., new: ...}], of which the two take turns
`},
		{"turns of parity", nil, `
suite: s
plan: {interleave: sliced}
scenarios: [{name: a, url: /x}]
variants: [{name: a, command: [x], ports: {http: 0}}, {name: b, command: [x], ports: {http: 0}}]
compare: [{base: a, new: b}]
gate: {policy: parity}
`, `
2:20: interleave: sliced is judged by the pairs of slices, which only policy: noninferior does, and the gate's is parity
`},
		{"turns", nil, `
suite: s
plan: {interleave: sliced}
scenarios:
  - {name: a, url: /x, helpers: [{name: h, command: [x], ports: {p: 7000}}]}
  - {name: o, url: /x, load: {kind: open, rate: 100}}
variants:
  - {name: a, command: [x], ports: {http: 8080}}
  - {name: b, command: [x], ports: {http: 8080}}
  - {name: c, command: [x], ports: {http: 8081}}
  - {name: d, command: [x], ports: {http: 0}}
compare: [{base: a, new: b}, {base: a, new: c}]
gate: {policy: noninferior}
helpers: [{name: up, command: [x], ports: {p: 7001}}]
`, `
4:12: interleave: sliced, and helper "h" has a port of its own: each of the two variants that are up has the helper; 0 is a free port
5:12: interleave: sliced, and scenario "o" offers a rate; two servers that take turns are loaded in a closed loop
8:12: interleave: sliced, and variants "a" and "b" both have port 8080: both are up, and each needs its own; 0 is a free one
10:12: interleave: sliced, and variant "d" is in no comparison: it has nobody to take turns with
11:37: interleave: sliced, and variant "a" is in two comparisons; expected one other that it takes turns with (a second variant of another name may have the same command)
13:11: interleave: sliced, and helper "up" has a port of its own: each of the two variants that are up has the helper; 0 is a free port
`},
		{"variants", nil, `
suite: s
scenarios: [{name: a, url: /x, needs: [http]}, {name: b, url: /x, tls: {}}, {name: c, url: /x, tls: {}, http: 3}, {name: d, url: /x, http: 3}]
variants:
  - {name: a, command: [x, "{confg}", "{config}", "{port}", "{port.x}", "{{zzz}}", "{zzz}"], cpus: 0}
  - name: a
    command: x
    env: {A-B: 1, C: [1], C: 2, D: "a\0b", E: {port}}
    user: "a b"
    workers: 0
    ports: {http: 65536, "h t": 1, x: 1, x: 2}
    ready: {url: /x, status: 100, timeout: 0s}
    expect: {exe: "", sha256: ABC, uid: me, seccomp: 3, no_new_privs: yes, argv: [], processes: 0, grace: 2m}
    provides: h
    log: {fail: ["("], ignore: x}
    programs: [nginx, nginx, /usr/bin/x, "", {}]
    install: "a\nb"
    about: {a: {b: c}, d: "x\ny"}
    instances: {layout: many, id: "{n}"}
    same_ok: ""
  - command: [x]
  - {name: c, command: [x], provides: [], config: {drop: [a]}}
  - {name: d, command: [x], ports: {http: 0, https: 0}, config: {from: c, drop: [a..b, "*"], set: {"a[": 1, b: *x, b: 2}, replace: {"": x, y: [z]}}}
`, `
2:140: http: 3 is never in cleartext, expected the key tls: {} beside it
4:12: variant "a" has no port "http", at which scenario "a" asks for /x, expected it in ports
4:12: variant "a" has no port "https", at which scenario "b" asks for /x, expected it in ports
4:28: unknown placeholder {confg}; did you mean {config}? Two braces, {{confg}}, are the text itself
4:39: {config}: there is no config that it could stand for
4:51: {port}: there is no port that it could stand for
4:61: unknown placeholder {port.x}; did you mean {port}? Two braces, {{port.x}}, are the text itself
4:84: unknown placeholder {zzz}; two braces, {{zzz}}, are the text itself
4:94: key "cpus" in a variant: which CPUs a server has is said in the suite, under "placement"
5:11: variant "a" is there twice, first on line 4
5:11: variant "a" has no port "https", at which scenario "b" asks for /x, expected it in ports
6:14: command: a value, expected a list of a program and its arguments such as [scalbench, target]
7:11: env: "A-B", expected letters, digits and _ with no digit first
7:22: C: a list, expected the text of a variable, "" for an empty one
7:27: env: "C" is there twice, first on line 7
7:36: env: a NUL in D
7:47: E: {port} is a mapping here, write "{port}" in quotes for the placeholder
8:11: user: "a b", expected the name or the number of a user
9:14: workers: "0", expected a whole number from 1 to 4096
10:19: http: "65536", expected a whole number from 0 to 65535
10:26: ports: "h t", expected a name such as http
10:42: ports: "x" is there twice, first on line 10
11:18: url: "/x", expected http://HOST:PORT/PATH, of which {port} may be the port
11:30: status: "100", expected a whole number from 200 to 599
11:44: timeout: "0s", expected a duration from 1ms to 1h0m0s such as 10s
12:19: exe: "", expected the path of a file
12:31: sha256: "ABC", expected 64 of 0-9 a-f
12:41: uid: "me", expected root, nonroot or the number of a user
12:54: seccomp: "3", expected a whole number from 0 to 2
12:71: no_new_privs: "yes", expected true or false
12:82: argv: an empty list, expected a program and its arguments
12:97: processes: "0", expected a whole number from 1 to 10000
12:107: grace: "2m", expected a duration from 0s to 1m0s such as 10s
13:15: provides: a value, expected a list of words such as [http]
14:18: fail: error parsing regexp: missing closing ): ` + "`" + `(` + "`" + `
14:32: ignore: a value, expected a list of regular expressions such as ["bind", "panic"]
15:23: programs: "nginx" is there twice
15:30: programs: "/usr/bin/x", expected the name of a program that is looked up as a shell would
15:42: programs: "", expected the name of a program that is looked up as a shell would
15:46: programs: a mapping, expected the name of a program
16:14: install: expected one line of 1 to 200 characters
17:16: a: a mapping, expected a text or a list of texts
17:27: d: expected one line
18:16: instances needs the key "count"
18:25: layout: "many", expected multi or single
18:35: id: "{n}", expected 1 to 64 of a-z 0-9 . _ - with a letter or digit first
19:14: same_ok: expected one line of 1 to 200 characters
20:5: a variant needs the key "name"
21:12: variant "c" has no port "https", at which scenario "b" asks for /x, expected it in ports
21:12: variant "c" has no port "http", at which scenario "d" asks for /x, expected it in ports
21:51: config needs the key "from"
22:72: c: file does not exist
22:82: path "a..b", expected keys and indices such as server.ports[0], the first one a key
22:88: path "*", expected keys and indices such as server.ports[0], the first one a key
22:100: path "a[", expected keys and indices such as server.ports[0], the first one a key
22:112: b: a YAML alias is not supported here, write the value out
22:116: set: "b" is there twice, first on line 22
22:123: replace: it is for files that are no YAML, expected no drop and set beside it
22:133: replace: an empty text is everywhere, expected one that is there once
22:143: y: a list, expected the new text, "" for none
`},
		{"gate and comparisons", nil, `
suite: s
scenarios: [{name: a, url: http://h/, varies: [cnfig], expected: "", mode: Multi, stand_in: delay, margin: 1%}]
variants: [{name: one, command: [x]}, {name: two, command: [x]}]
compare: [{base: one, new: to}, {base: one, new: one}, {base: two, new: one}, {base: two, new: one}, {base: zzzzz}, one]
gate: {policy: fixed, max_margin: 5, min_ratio: 98%, margin: 1%, alpha: 1, spend: all, interval: t, limits: {p99: -1, rsss: 2}, threshold: 0.98}
varies: [config, config, everything]
`, `
2:48: varies: unknown "cnfig"; did you mean "config"?
2:66: expected: expected one line of 1 to 200 characters
2:76: mode: "Multi", expected 1 to 64 of a-z 0-9 . _ - with a letter or digit first
2:93: stand_in: "delay", expected a path on the embedded target such as /proxy/delay/2ms
2:100: key "margin" in scenario "a": only policy: noninferior has it, and the gate's is fixed
4:28: no variant "to"; did you mean "two"?
4:50: new: "one" is the base, too; for a variant against itself write it twice under two names, with same_ok
4:96: one against two is there twice, first on line 4
4:102: a comparison needs the key "new"
4:109: no variant "zzzzz", expected one or two
4:117: a comparison: a value, expected a mapping of keys to values
5:23: key "max_margin" in gate: only policy: parity has it, and this is fixed
5:35: max_margin: "5", expected a share from 0% to 100% such as 5% or 0.05
5:49: min_ratio: "98%", expected a number from 0.01 to 10 such as 1.15
5:54: key "margin" in gate: only policy: noninferior has it, and this is fixed
5:66: key "alpha" in gate: only policy: noninferior has it, and this is fixed
5:73: alpha: "1", expected a number from 0.0001 to 0.5 such as 1.15
5:76: key "spend" in gate: only policy: noninferior has it, and this is fixed
5:83: spend: "all", expected obf or power2
5:98: interval: "t", expected rounds, pairs or bootstrap
5:115: p99: "-1", expected a number from 0 to 100 such as 1.15
5:119: unknown key "rsss" in limits; did you mean "rss"?
5:129: key "threshold" in gate: it is "min_ratio"
6:18: varies: "config" is there twice
6:26: varies: unknown "everything", expected binary, config, argv, env, uid, helpers, seccomp, seccomp_filters, no_new_privs, cap_eff or limits
`},
		{"comparisons without variants", nil, `
suite: s
scenarios: [{name: a, url: http://h/}]
compare: [{base: a, new: b}]
`, `
3:18: no variant "a"; the suite has none
3:26: no variant "b"; the suite has none
`},
		{"helpers", nil, `
suite: s
scenarios: [{name: a, url: http://h/, helpers: [{name: up, command: [x, "{other}"]}, {name: port, command: [x]}]}]
helpers: [{name: up, command: [x, "{port}", "{dir}", "{up}"], ready: {}}, {name: other, command: [x]},
  {name: fpm, command: [x, "{port}", "{port.y}", "{up.address}", "{upp.address}"], ports: {http: 0}, ready: {url: "tcp://127.0.0.1:{port}", status: 200, body: x}},
  {name: sock, command: [x], ready: {url: "unix://{dir}/s"}}, {name: bad, command: [x], ready: {url: "unix://host/s"}}, {name: worse, command: [x], ready: {url: "tcp://host"}}]
`, `
2:93: name: {port} stands for something else, expected another name for a helper
3:11: helper "up" is one of scenario "a", too, and both would run for it
3:35: {port}: there is no port that it could stand for
3:70: ready needs the key "url"
4:38: unknown placeholder {port.y}; did you mean {port}? Two braces, {{port.y}}, are the text itself
4:66: unknown placeholder {upp.address}; did you mean {up.address}? Two braces, {{upp.address}}, are the text itself
4:160: ready: tcp://127.0.0.1:{port}: says only that somebody accepts, expected neither status nor body
5:102: url: "unix://host/s", expected http://HOST:PORT/PATH, tcp://HOST:PORT, of which {port} may be the port, or unix:///PATH
5:162: url: "tcp://host", expected http://HOST:PORT/PATH, tcp://HOST:PORT, of which {port} may be the port, or unix:///PATH
`},
		{"params", map[string]string{"conss": "1", "need": "x", "zzz": "2"}, `
suite: s
params: {conns: , port: 1, A: 1, b: 1, b: 2, c: [1], need: }
scenarios: [{name: "{need}", url: "http://h/{b}", connections: {b}, streams: "{c}"}]
`, `
1:1: no param "conss" in the suite; did you mean "conns"?
1:1: no param "zzz" in the suite; it has conns, b, c, need
2:10: param "conns" has no value of its own, give it one: conns=VALUE
2:19: param "port": {port} stands for something else, see the placeholders of a variant
2:28: param "A", expected 1 to 32 of a-z 0-9 _ - with a letter first
2:40: params: "b" is there twice, first on line 2
2:49: c: a list, expected a text or a number
3:64: connections: {b} is a mapping here, write "{b}" in quotes for the placeholder
3:78: streams: "", expected a whole number from 1 to 1000
`},
		{"params without any", map[string]string{"x": "1"}, `
suite: s
scenarios: [{name: a, url: http://h/}]
`, `
1:1: no param "x" in the suite; it has none
`},
		{"files", nil, `
suite: s
scenarios: [sc/*.yaml, sc/none.yaml, "sc/*.yml", {name: b, url: http://h/}]
variants: [v/bad.yaml, v/empty.yaml, v/list.yaml, {name: a, command: [x]}, v/twin.yaml, "", "v/[", ../up.yaml]
`, `
2:24: sc/none.yaml: file does not exist
2:38: scenarios: no file matches sc/*.yml
3:89: variants: "", expected the path of a file
3:93: variants: "v/[" is no pattern, expected one such as variants/*.yaml
3:100: ../up.yaml: file does not exist
sc/x.yaml:2:6: url: "x", expected a path such as /x or http://HOST:PORT/PATH
sc/x.yaml:3:1: unknown key "conections" in a scenario; did you mean "connections"?
v/bad.yaml:1:1: a variant needs the key "command"
v/bad.yaml:2:1: unknown key "comand" in a variant; did you mean "command"?
v/bad.yaml:3:16: none.conf: file does not exist
v/empty.yaml:1:1: empty, expected a variant
v/list.yaml:1:1: a variant: a list, expected a mapping of keys to values
v/twin.yaml:1:7: variant "a" is there twice, first in f on line 3
`},
		{"edits", nil, `
suite: s
scenarios: [{name: a, url: http://h/}]
variants:
  - {name: a, command: [x], config: {from: v/c.yaml, drop: [bee], set: {a.b: 1}}}
  - {name: b, command: [x], config: {from: v/c.yaml, set: {a: 2}}}
`, `
4:61: drop: v/c.yaml: no key "bee" in the file
4:73: set: v/c.yaml: no b, but a value, in a
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			parser := Parser{FS: files, Params: test.params}
			s, err := parser.parse("f", []byte(strings.TrimPrefix(test.yaml, "\n")), true)
			if err == nil || s != nil {
				t.Fatalf("suite %v, error %v; want faults alone", s, err)
			}
			got := "\n" + err.Error()
			got = strings.ReplaceAll(got, "\nf:", "\n")
			if diff := cmp.Diff(strings.TrimSpace(test.want), strings.TrimSpace(got)); diff != "" {
				t.Errorf("-want +got\n%s\n%s", diff, got)
			}
		})
	}
}

func TestLoadWithoutFile(t *testing.T) {
	if _, err := (Parser{FS: fstest.MapFS{}}).Load("none.yaml"); err == nil || err.Error() != "read suite none.yaml: file does not exist" {
		t.Errorf("error %v", err)
	}
}
