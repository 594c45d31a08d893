package schedule

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
	"time"
)

// parse is Parse of what is known to be right.
func parse(t testing.TB, text string) Rate {
	t.Helper()
	r, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestOver(t *testing.T) {
	tests := []struct {
		rate   string
		window time.Duration
		want   string
	}{
		{"1000", 10 * time.Second, "1000@10s"},
		{"1000..20000", 10 * time.Second, "1000..20000@10s"},
		{"0..1000@4s,1000..0", 10 * time.Second, "0..1000@4s,1000..0@6s"}, // 10 - 4
		{"1000@10s,5000", 10 * time.Second, "1000@10s"},                   // 10 - 10 = 0 are left
		{"1000@10s,5000", 5 * time.Second, "1000@10s"},                    // the end of the run cuts it
		{"1000@10s,5000@10s", 30 * time.Second, "1000@10s,5000@10s"},      // nothing is open
		{"1000@10s,5000", 0, "1000@10s,5000"},                             // no window
		{"0", 10 * time.Second, "0"},
	}
	for _, tt := range tests {
		r := parse(t, tt.rate)
		if got := r.Over(tt.window).String(); got != tt.want {
			t.Errorf("%s over %v is %s, want %s", tt.rate, tt.window, got, tt.want)
		}
		if r.String() != tt.rate {
			t.Errorf("Over has changed its rate from %s to %v", tt.rate, r)
		}
	}
}

func TestAfter(t *testing.T) {
	tests := []struct {
		rate   string
		warmUp time.Duration
		want   string
	}{
		{"1000..20000@10s", 2 * time.Second, "1000@2s,1000..20000@10s"},
		{"0..1000@10s", 2 * time.Second, "0@2s,0..1000@10s"}, // a rate that begins at 0 has an idle warm-up
		{"1000", 2 * time.Second, "1000@2s,1000"},
		{"1000", 0, "1000"},
		{"0", 2 * time.Second, "0"},
	}
	for _, tt := range tests {
		if got := parse(t, tt.rate).After(tt.warmUp).String(); got != tt.want {
			t.Errorf("%s after %v is %s, want %s", tt.rate, tt.warmUp, got, tt.want)
		}
	}
}

func TestLength(t *testing.T) {
	tests := []struct {
		rate string
		want time.Duration
		open bool
	}{
		{"0", 0, false},
		{"1000", 0, true},
		{"1000@10s,5000", 10 * time.Second, true},
		{"1000@10s,0..5000@500ms", 10500 * time.Millisecond, false},
	}
	for _, tt := range tests {
		if got, open := parse(t, tt.rate).Length(); got != tt.want || open != tt.open {
			t.Errorf("length of %s is %v, open %v, want %v, %v", tt.rate, got, open, tt.want, tt.open)
		}
	}
}

func TestOffered(t *testing.T) {
	tests := []struct {
		rate string
		d    time.Duration
		want float64
	}{
		{"1000", 10 * time.Second, 10_000},
		{"0.5", 3 * time.Second, 1.5},
		{"1000", 0, 0},
		{"1000", -time.Second, 0},
		{"0", time.Second, 0},
		// An open ramp ends at d: (1000 + 20000) / 2 x 10.
		{"1000..20000", 10 * time.Second, 105_000},
		// After 4 of 10 s the rate is 400: (0 + 400) / 2 x 4. After all: 1000 / 2 x 10.
		{"0..1000@10s", 4 * time.Second, 800},
		{"0..1000@10s", 10 * time.Second, 5000},
		{"0..1000@10s", time.Minute, 5000}, // nothing after the last step
		// After 4 of 10 s the rate is 600: (1000 + 600) / 2 x 4.
		{"1000..0@10s", 4 * time.Second, 3200},
		// 10 x 1000, then 5 x 5000; a pause adds nothing.
		{"1000@10s,5000@10s", 15 * time.Second, 35_000},
		{"1000@10s,0@5s,200", 16 * time.Second, 10_200},
	}
	for _, tt := range tests {
		got := parse(t, tt.rate).Offered(tt.d)
		if math.Abs(got-tt.want) > 1e-12*tt.want {
			t.Errorf("%s offers %v in %v, want %v", tt.rate, got, tt.d, tt.want)
		}
	}
}

func TestSpecOffered(t *testing.T) {
	burst := Burst{Requests: 10, Every: time.Second}
	tests := []struct {
		spec Spec
		d    time.Duration
		want float64
		open bool
	}{
		{Spec{}, time.Second, 0, false},
		{Spec{Rate: parse(t, "1000")}, time.Second, 1000, true},
		{Spec{Rate: parse(t, "1000"), Arrival: Poisson}, time.Second, 1000, true},
		{Spec{Burst: burst}, 0, 0, true},
		{Spec{Burst: burst}, 1, 10, true},                 // the one at 0
		{Spec{Burst: burst}, time.Second, 10, true},       // the one at 1 s is not before 1 s
		{Spec{Burst: burst}, time.Second + 1, 20, true},   //
		{Spec{Burst: burst}, 10 * time.Second, 100, true}, // at 0, 1, ... 9 s
	}
	for _, tt := range tests {
		if got := tt.spec.Offered(tt.d); got != tt.want {
			t.Errorf("%+v offers %v in %v, want %v", tt.spec, got, tt.d, tt.want)
		}
		if got := tt.spec.IsOpen(); got != tt.open {
			t.Errorf("%+v: open loop %v", tt.spec, got)
		}
	}
}

func TestJSON(t *testing.T) {
	type part struct {
		Rate    Rate    `json:"rate"`
		Burst   Burst   `json:"burst"`
		Arrival Arrival `json:"arrival"`
	}
	tests := []struct {
		plan part
		want string
	}{
		{part{}, `{"rate":{},"burst":{"requests":0,"every_ns":0},"arrival":"constant"}`},
		{
			part{Rate: parse(t, "0..0.1@1us,1000"), Burst: Burst{3, time.Microsecond}, Arrival: Poisson},
			`{"rate":{"steps":[{"from_rps":0,"to_rps":0.1,"duration_ns":1000},{"from_rps":1000,"to_rps":1000,"duration_ns":0}]},` +
				`"burst":{"requests":3,"every_ns":1000},"arrival":"poisson"}`,
		},
	}
	for _, tt := range tests {
		text, err := json.Marshal(tt.plan)
		if err != nil || string(text) != tt.want {
			t.Errorf("%+v in JSON is %s, %v, want %s", tt.plan, text, err, tt.want)
		}
		var got part
		if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, tt.plan) {
			t.Errorf("%s read again is %+v, %v", text, got, err)
		}
	}
	var got part
	want := `arrival "uniform": want constant or poisson`
	if err := json.Unmarshal([]byte(`{"arrival":"uniform"}`), &got); err == nil || err.Error() != want {
		t.Errorf("an unknown arrival: %v, want %s", err, want)
	}
}
