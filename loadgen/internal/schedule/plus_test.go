package schedule

import "testing"

func TestPlus(t *testing.T) {
	for _, tt := range []struct{ a, b, want string }{
		{"1000", "500", "1500"},
		{"100..200@10s,50", "0..100@10s,50", "100..300@10s,100"},
		{"1000", "500@10s,500", ""}, // one step and two
		{"1000@10s,1", "1000@20s,1", ""},
	} {
		a, errA := Parse(tt.a)
		b, errB := Parse(tt.b)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		sum, err := a.Plus(b)
		if (err == nil) != (tt.want != "") || err == nil && sum.String() != tt.want {
			t.Errorf("%s + %s = %s, %v, want %q", tt.a, tt.b, sum, err, tt.want)
		}
	}
	if sum, err := (Rate{}).Plus(Rate{}); err != nil || len(sum.Steps) != 0 {
		t.Errorf("two closed loops: %v, %v", sum, err)
	}
}
