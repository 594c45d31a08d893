package main

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestWriteHeat(t *testing.T) {
	h := heat{
		server: "sink", course: course{label: "respond", path: "/respond"},
		samples: map[string][]sample{
			"scalbench": {{rps: 250_000, cpuMicrosPerRequest: 4, peakRSSBytes: 21 << 20, threads: 6, peerBusyFrac: 1, serverBusyFrac: 0.81}},
			"wrk":       {{rps: 200_000, cpuMicrosPerRequest: 5, peakRSSBytes: 7 << 20, threads: 2, peerBusyFrac: 1, serverBusyFrac: 0.6, errors: 1200}},
		},
		failed:  map[string]error{"oha": errors.New("round 1: exit status 1")},
		skipped: map[string]string{"h1load": "it has no HTTP/2"},
	}
	peers := []peer{scalbench{}, wrk{}, oha{}, h1load{}}
	var text, markdown strings.Builder
	if err := writeHeat(&text, h, peers, false); err != nil {
		t.Fatal(err)
	}
	if err := writeHeat(&markdown, h, peers, true); err != nil {
		t.Fatal(err)
	}
	// 250/200 = 1.25, 4/5 = 0.80, 21/7 = 3.00
	const wantText = `
sink respond

peer         req/s  CPU/request  peak RSS  threads  peer busy  server busy
scalbench  250 000      4.00 us    21 MiB        6      100 %         81 %
wrk        200 000      5.00 us   7.0 MiB        2      100 %         60 %

ratio of medians (min..max of the rounds)              req/s        CPU/request           peak RSS
scalbench / wrk                            1.25 (1.25..1.25)  0.80 (0.80..0.80)  3.00 (3.00..3.00)

wrk: 1 200 requests FAILED

oha FAILED: round 1: exit status 1

h1load skipped: it has no HTTP/2
`
	if text.String() != wantText {
		t.Errorf("text:\n%s\nwant:\n%s", &text, wantText)
	}
	for _, want := range []string{
		"### sink respond\n",
		"| peer | req/s | CPU/request | peak RSS | threads | peer busy | server busy |\n| --- | --: | --: | --: | --: | --: | --: |\n",
		"| wrk | 200 000 | 5.00 us | 7.0 MiB | 2 | 100 % | 60 % |\n",
		"| scalbench / wrk | 1.25 (1.25..1.25) |",
	} {
		if !strings.Contains(markdown.String(), want) {
			t.Errorf("Markdown lacks %q:\n%s", want, &markdown)
		}
	}
	if got := h.faults(peers); len(got) != 2 || !strings.Contains(got[0].Error(), "1200 requests of wrk") || !strings.Contains(got[1].Error(), "oha: round 1") {
		t.Errorf("faults = %v", got)
	}
}

func TestHeatNotesOfChurn(t *testing.T) {
	h := heat{course: course{churn: true}, load: load{seconds: 2}, rounds: 3}
	h.timeWait = timeWaits{bound: 1000, paused: 90 * time.Second, most: 980}
	notes := heatNotes(h, nil)
	if want := "runs of 2 s, 3 rounds; paused 90 s in all for TIME_WAIT; a run started with at most 980 such sockets"; len(notes) != 1 || notes[0] != want {
		t.Errorf("notes = %q, want %q", notes, want)
	}
}
