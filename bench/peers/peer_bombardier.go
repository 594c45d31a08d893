package main

import (
	"encoding/json"
	"errors"
	"fmt"
)

// bombardier is codesenberg/bombardier with its default client, fasthttp, which
// writes User-Agent before Host.
type bombardier struct {
	path string
}

// bombardierModule has no v2 in its path, so that @latest stays at v1 for ever;
// the version is named to make that plain.
const (
	bombardierModule  = "github.com/codesenberg/bombardier"
	bombardierVersion = "v1.2.6"
)

func (bombardier) name() string      { return "bombardier" }
func (b bombardier) program() string { return b.path }
func (b bombardier) install() string { return b.recipes()[0].String() }
func (bombardier) recipes() []recipe {
	return []recipe{goRecipe(bombardierModule + "@" + bombardierVersion)}
}

// version is read from the file: the program says "unspecified" unless its own
// release script built it.
func (b bombardier) version() string {
	made, err := readModuleBuild(b.path, bombardierModule)
	if err != nil {
		return firstLine(b.path, "--version")
	}
	return "bombardier " + made.version + ", " + made.goVersion
}

// lacks: for HTTP/2 it takes another client, net/http, which puts all requests
// on one connection whatever -c says.
func (bombardier) lacks(l load) string {
	if l.protocol == h2TLS {
		return "its HTTP/2 client has one connection for all requests"
	}
	return onlyHTTP1(l)
}

func (bombardier) loadArgs(l load) []string {
	args := []string{
		"-c", fmt.Sprint(l.connections),
		"-d", fmt.Sprintf("%ds", l.seconds),
		"-l",
		"--print", "result",
		"--format", "json",
		"-H", "User-Agent: " + userAgent,
		"-H", "Accept: " + accept,
	}
	if l.protocol.secure() {
		args = append(args, "-k")
	}
	if l.churn {
		args = append(args, "-H", closeHeader)
	}
	return append(args, l.url)
}

// parseReport makes the rate of what was answered and the time it took: its own
// rps is the mean of samples taken now and then, and counts failed connects.
func (bombardier) parseReport(_ load, stdout []byte) (report, error) {
	var output struct {
		Result struct {
			Seconds float64 `json:"timeTakenSeconds"`
			Req1xx  int64   `json:"req1xx"`
			Req2xx  int64   `json:"req2xx"`
			Req3xx  int64   `json:"req3xx"`
			Req4xx  int64   `json:"req4xx"`
			Req5xx  int64   `json:"req5xx"`
			Others  int64   `json:"others"` // no answer, or one of no class
			Latency struct {
				PercentileMicros map[string]float64 `json:"percentiles"`
			} `json:"latency"`
		} `json:"result"`
	}
	if err := json.Unmarshal(stdout, &output); err != nil {
		return report{}, fmt.Errorf("read result: %w", err)
	}
	result := output.Result
	if result.Seconds <= 0 {
		return report{}, errors.New("result has no timeTakenSeconds")
	}
	not2xx := result.Req1xx + result.Req3xx + result.Req4xx + result.Req5xx
	answered := result.Req2xx + not2xx
	return report{
		requests: answered,
		rps:      float64(answered) / result.Seconds,
		errors:   not2xx + result.Others,
		p50:      micros(result.Latency.PercentileMicros["50"]),
		p99:      micros(result.Latency.PercentileMicros["99"]),
	}, nil
}
