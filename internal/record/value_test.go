package record

import (
	"encoding/json"
	"math"
	"testing"
)

func TestValue(t *testing.T) {
	if Of(math.NaN()) != (Value{}) || (Value{}).Known() || !math.IsNaN((Value{}).OrNaN()) {
		t.Error("NaN is not none")
	}
	if v := Of(0); !v.Known() || v.String() != "0" {
		t.Errorf("a measured 0 is %q", v)
	}
	for _, x := range []float64{0, 1, 0.1, 1.0 / 3, 112542.1, 1e-9, 1e18} {
		have, err := parseValue(Of(x).String())
		if err != nil || have != Of(x) {
			t.Errorf("%v reads back as %v, %v", x, have, err)
		}
		text, err := json.Marshal(Of(x))
		var back Value
		if err != nil || json.Unmarshal(text, &back) != nil || back != Of(x) {
			t.Errorf("%v reads back from JSON %s as %v", x, text, back)
		}
	}
	back := Of(1)
	if text, err := json.Marshal(Value{}); err != nil || json.Unmarshal(text, &back) != nil || back.Known() {
		t.Errorf("none reads back from JSON %s as %v", text, back)
	}
}
