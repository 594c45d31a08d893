package procfs

import "testing"

func TestParsePortRange(t *testing.T) {
	if first, last, err := parsePortRange("32768\t60999\n"); first != 32768 || last != 60999 || err != nil {
		t.Errorf("%d %d %v", first, last, err)
	}
	for _, text := range []string{"", "1", "2 1", "0 5", "1 65536", "a b", "1 2 3"} {
		if _, _, err := parsePortRange(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestCountPorts(t *testing.T) {
	for _, tt := range []struct {
		list string
		want int
	}{
		{"", 0}, {"\n", 0}, {"150\n", 1}, {"50", 0}, {"90-110", 11}, {"150,190-250,300", 1 + 11}, // within 100 to 200
		{"x,150", 1}, {"200-100", 0},
	} {
		if got := countPorts(tt.list, 100, 200); got != tt.want {
			t.Errorf("countPorts(%q) = %d, want %d", tt.list, got, tt.want)
		}
	}
}

func TestLocalPortsOfThisHost(t *testing.T) {
	n, err := NewFS("/proc").LocalPorts()
	if err != nil || n < 1 || n > 65535 {
		t.Errorf("%d, %v", n, err)
	}
}
