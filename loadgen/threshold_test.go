package loadgen

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func parsed(t *testing.T, text string) Threshold {
	t.Helper()
	threshold, err := ParseThreshold(text)
	if err != nil {
		t.Fatal(err)
	}
	return threshold
}

func TestParseThreshold(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Threshold // but for the text
	}{
		{"p99<5ms", Threshold{Metric: "p99", Op: "<", Limit: 5_000}},
		{" p99  <=  5 ms ", Threshold{Metric: "p99", Op: "<=", Limit: 5_000}},
		{"p99.9<1.5s", Threshold{Metric: "p999", Op: "<", Limit: 1_500_000}},
		{"p99.99<800us", Threshold{Metric: "p9999", Op: "<", Limit: 800}},
		{"response.p50<500ns", Threshold{Metric: "p50", Op: "<", Limit: 0.5}},
		{"service.p99.9<2ms", Threshold{Metric: "service.p999", Op: "<", Limit: 2_000}},
		{"first_byte.max<1s", Threshold{Metric: "first_byte.max", Op: "<", Limit: 1e6}},
		{"dns.min<1s", Threshold{Metric: "dns.min", Op: "<", Limit: 1e6}},
		{"mean<0.57ms", Threshold{Metric: "mean", Op: "<", Limit: 570}}, // 0.57 x 1000 is 569.9999999999999 in floating point
		{"rps>10000", Threshold{Metric: "rps", Op: ">", Limit: 10_000}},
		{"rps>=10k", Threshold{Metric: "rps", Op: ">=", Limit: 10_000}},
		{"bytes_in_per_s>1.5M", Threshold{Metric: "bytes_in_per_s", Op: ">", Limit: 1_500_000}},
		{"error_rate<0.1%", Threshold{Metric: "error_rate", Op: "<", Limit: 0.001}},
		{"error_rate<0.001", Threshold{Metric: "error_rate", Op: "<", Limit: 0.001}},
		{"errors<=0", Threshold{Metric: "errors", Op: "<=", Limit: 0}},
		{"cpu_us<12.5", Threshold{Metric: "cpu_us", Op: "<", Limit: 12.5}},
		{"server_cpu_us<0.2ms", Threshold{Metric: "server_cpu_us", Op: "<", Limit: 200}},
	} {
		tt.want.Text = strings.TrimSpace(tt.text)
		got, err := ParseThreshold(tt.text)
		if err != nil || got != tt.want {
			t.Errorf("%q: %+v, %v, want %+v", tt.text, got, err, tt.want)
		}
		if again, err := ParseThreshold(got.String()); err != nil || again != got {
			t.Errorf("%q, of its own text: %+v, %v", tt.text, again, err)
		}
	}
}

func TestParseThresholdFaults(t *testing.T) {
	const times, shares, numbers = "want a time with its unit, such as 5ms", "want a share from 0 to 1", "want a number such as 10000, 10k"
	for _, tt := range []struct{ text, want string }{
		{"", "want a metric, one of < <= > >=, and a value, such as p99<5ms"},
		{"p99", "want a metric"},
		{"p99=5ms", "= is not a comparison: want < <= > or >="},
		{"p99==5ms", "== is not a comparison"},
		{"p99=<5ms", "=< is not a comparison"},
		{"p99<>5ms", "<> is not a comparison"},
		{"p98<5ms", `"p98" is not a metric: want p50 p75 p90 p95 p99 p999 p9999 min mean max of response time, the same of another (service first_byte`},
		{"p98<5ms", "(send_delay"[1:]},
		{"p98<5ms", "), rps error_rate errors bytes_in_per_s cpu_us server_cpu_us"},
		{"P99<5ms", `"P99" is not a metric`},
		{"socket.p99<5ms", `"socket.p99" is not a metric`},
		{"service.rps>5", `"service.rps" is not a metric`},
		{"service.<5ms", `"service." is not a metric`},
		{"<5ms", `"" is not a metric`},
		{"p99<5", `value "5": ` + times},
		{"p99<", `value "": ` + times},
		{"p99<ms", times},
		{"p99<5 m s", times},
		{"p99<-5ms", times},
		{"p99<1.2.3ms", times},
		{"p99<.ms", times},
		{"p99<1e3ms", times},
		{"p99<5ms<6ms", times},
		{"p99<NaNms", times},
		{"rps>5ms", numbers},
		{"rps>1" + strings.Repeat("0", 400), numbers}, // more than a float64 holds
		{"error_rate<5", shares},                      // 5 %, or 0.05?
		{"error_rate<101%", shares},
		{"errors<1%", numbers},
		{"cpu_us<1k", "want a time such as 20us, or microseconds"},
	} {
		_, err := ParseThreshold(tt.text)
		if !errors.Is(err, ErrPlan) || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%q: %v, want ErrPlan with the text and %q", tt.text, err, tt.want)
		}
	}
}

func TestThresholdJSON(t *testing.T) {
	v := parsed(t, "p99<5ms").Check(&Result{Latency: Latency{Response: &Distribution{Count: 1_000, P99US: ptr(7_249.0)}}})
	text, err := json.Marshal(v)
	if want := `{"threshold":"p99\u003c5ms","state":"broken","text":"p99 7.2 ms, not below 5 ms"}`; err != nil || string(text) != want {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
	var again Verdict
	if err := json.Unmarshal(text, &again); err != nil || again != v {
		t.Errorf("after a round trip %+v, %v, want %+v", again, err, v)
	}
	var list []Threshold
	if err := json.Unmarshal([]byte(`["p99<5ms", "p99<5"]`), &list); !errors.Is(err, ErrPlan) {
		t.Errorf("a value without a unit: %v", err)
	}
}

// thresholdResult is what the thresholds of the next test look at.
func thresholdResult() *Result {
	return &Result{
		MeasuredS: 10, RPS: 12_430.6, BytesIn: 1_500_000, // 150 000 a second
		Ledger: Ledger{
			Scheduled: 1_000, OK: 990, Shed: 1, Unfinished: 2, NeverSent: 3,
			Errors: map[string]Split{"timeout": {Sent: 3}, "connect_failed": {Unsent: 1}}, // 10 are not ok
		},
		Latency: Latency{
			Response: &Distribution{Count: 800, MinUS: 12, MeanUS: 156.4, P50US: ptr(120.0), P99US: ptr(4_996.0), MaxUS: 1_234_567},
			Service:  &Distribution{Count: 800, P99US: ptr(5_000.0)},
		},
		Generator: Generator{CPUPerRequestUS: ptr(8.406)},
		Server:    &Server{},
	}
}

func TestThresholdCheck(t *testing.T) {
	const held, broken, unknown = ThresholdHeld, ThresholdBroken, ThresholdUnknown
	r := thresholdResult()
	for _, tt := range []struct {
		threshold string
		state     ThresholdState
		text      string
	}{
		// The comparison is made unrounded: 4.996 is below 5 and the text shows it.
		{"p99<5ms", held, "p99 4.996 ms, below 5 ms"},
		{"p99<6ms", held, "p99 5 ms, below 6 ms"},
		{"p99<4ms", broken, "p99 5 ms, not below 4 ms"},
		{"response.p99<4.99ms", broken, "p99 5 ms, not below 4.99 ms"},
		{"service.p99<5ms", broken, "service.p99 5 ms, not below 5 ms"},
		{"service.p99<=5ms", held, "service.p99 5 ms, at most 5 ms"},
		{"service.p99<=4999us", broken, "service.p99 5 ms, above 4.999 ms"},
		{"p50>100us", held, "p50 120 us, above 100 us"},
		{"p50<1s", held, "p50 120 us, below 1 s"},
		{"min<5us", broken, "min 12 us, not below 5 us"},
		{"mean<1500us", held, "mean 156 us, below 1.5 ms"},
		{"max<1s", broken, "max 1.2 s, not below 1 s"},
		{"rps>10k", held, "rps 12 431, above 10 000"},
		{"rps>12430", held, "rps 12 431, above 12 430"},
		{"rps>=12431", broken, "rps 12 430.6, below 12 431"},
		{"rps>20k", broken, "rps 12 431, not above 20 000"},
		{"errors<=0", broken, "errors 10, above 0"},             // 4 errors, 1 shed, 2 unfinished, 3 never sent
		{"error_rate<=1%", held, "error_rate 1 %, at most 1 %"}, // 10 of 1 000
		{"error_rate<0.01", broken, "error_rate 1 %, not below 1 %"},
		{"bytes_in_per_s>100k", held, "bytes_in_per_s 150 000, above 100 000"},
		{"cpu_us<8.41", held, "cpu_us 8.406 us, below 8.41 us"},
		{"cpu_us<10us", held, "cpu_us 8.41 us, below 10 us"},

		// What the result does not have is unknown, and says why.
		{"p999<5ms", unknown, "p999 unknown, which counts as broken: it takes 1 000 samples, there are 800"},
		{"connect.p99<5ms", unknown, "connect.p99 unknown, which counts as broken: nothing was recorded of connect"},
		{"server_cpu_us<100", unknown, "server_cpu_us unknown, which counts as broken: no request completed inside the window"},
	} {
		got := parsed(t, tt.threshold).Check(r)
		if got.State != tt.state || got.Text != tt.text || got.Held() != (tt.state == held) {
			t.Errorf("%s: %s, %q, held %v, want %s, %q", tt.threshold, got.State, got.Text, got.Held(), tt.state, tt.text)
		}
	}
}

// Of a result without anything only the number of errors is known.
func TestThresholdOfNothing(t *testing.T) {
	for text, missing := range map[string]string{
		"rps>=0": "nothing was measured", "bytes_in_per_s>=0": "nothing was measured", "error_rate<=1": "no request was scheduled",
		"cpu_us>=0": "no request completed", "server_cpu_us>=0": "what the server used is not known", "max<1s": "nothing was recorded of response",
	} {
		if got := parsed(t, text).Check(&Result{}); got.State != ThresholdUnknown || !strings.Contains(got.Text, missing) {
			t.Errorf("%s: %+v, want unknown: %s", text, got, missing)
		}
	}
	if got := parsed(t, "errors<=0").Check(&Result{}); !got.Held() {
		t.Errorf("errors: %+v", got)
	}
	if got := (Threshold{}).Check(&Result{}); got.State != ThresholdUnknown || got.Held() {
		t.Errorf("the zero threshold: %+v", got)
	}
}

// Each metric takes its number from where it belongs: 10 values that differ.
func TestThresholdMetrics(t *testing.T) {
	d := func(first float64) *Distribution {
		us := func(i float64) *float64 { return ptr(first + i) }
		return &Distribution{
			Count: 1, P50US: us(0), P75US: us(1), P90US: us(2), P95US: us(3), P99US: us(4), P999US: us(5), P9999US: us(6),
			MinUS: first + 7, MeanUS: first + 8, MaxUS: first + 9,
		}
	}
	r := &Result{Latency: Latency{
		Response: d(100), Service: d(200), FirstByte: d(300), SendDelay: d(400), Lateness: d(500), Failed: d(600), Connect: d(700), TLS: d(800), DNS: d(900),
	}}
	for h, histogram := range []string{"response", "service", "first_byte", "send_delay", "lateness", "failed", "connect", "tls", "dns"} {
		for s, statistic := range []string{"p50", "p75", "p90", "p95", "p99", "p999", "p9999", "min", "mean", "max"} {
			name := histogram + "." + statistic
			m, known := metricNamed(name)
			if !known {
				t.Fatalf("%s is not known", name)
			}
			if v, missing := m.read(r); v != float64(100*(h+1)+s) || missing != "" {
				t.Errorf("%s = %v, %q, want %d", name, v, missing, 100*(h+1)+s)
			}
		}
	}
}
