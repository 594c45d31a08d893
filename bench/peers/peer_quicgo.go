package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/scalws/scalbench/bench/peers/quicgo"
)

// quicGo is the plain client of package quicgo, which this program becomes when
// its first argument says so: a program that is built apart could be of another
// day than this one, and of another quic-go.
type quicGo struct {
	path string
}

// thisProgram is the file that runs here, whatever it is called.
const thisProgram = "/proc/self/exe"

const quicGoModule = "github.com/quic-go/quic-go"

func (quicGo) name() string      { return "quicgo" }
func (q quicGo) program() string { return q.path }
func (quicGo) install() string   { return "a part of this program" }
func (quicGo) recipes() []recipe { return nil }

func (q quicGo) version() string {
	made, err := readModuleBuild(q.path, quicGoModule)
	if err != nil {
		return fmt.Sprintf("unknown (%v)", err)
	}
	return "http3 of quic-go " + made.version + ", " + made.goVersion
}

func (quicGo) lacks(l load) string {
	if l.protocol != h3QUIC {
		return "it has HTTP/3 alone"
	}
	return ""
}

func (quicGo) loadArgs(l load) []string {
	return []string{
		quicgo.Mode,
		"-c", strconv.Itoa(l.connections),
		"-p", strconv.Itoa(l.streams),
		"-z", fmt.Sprintf("%ds", l.seconds),
		"-H", "User-Agent: " + userAgent,
		"-H", "Accept: " + accept,
		l.url,
	}
}

// parseReport leaves out what the client says of its CPU time, which is without
// the handshakes: the others are charged for theirs.
func (quicGo) parseReport(_ load, stdout []byte) (report, error) {
	var result quicgo.Report
	if err := json.Unmarshal(stdout, &result); err != nil {
		return report{}, fmt.Errorf("read result: %w", err)
	}
	if result.Seconds <= 0 {
		return report{}, errors.New("result has no seconds")
	}
	return report{
		requests: result.Requests,
		rps:      float64(result.Requests) / result.Seconds,
		errors:   result.Errors,
		p50:      micros(result.P50Micros),
		p99:      micros(result.P99Micros),
	}, nil
}
