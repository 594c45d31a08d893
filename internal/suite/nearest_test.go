package suite

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"connections", "warmup", "measure", "url", "http", "needs", "node"}
	for _, test := range []struct{ word, want string }{
		{"connections", "connections"},
		{"conections", "connections"},  // one missing
		{"conenctions", "connections"}, // one swap
		{"Connections", "connections"}, // case
		{"connection", "connections"},
		{"cnnctions", "connections"}, // two missing, a third of nine is three
		{"warm-up", "warmup"},
		{"ulr", "url"}, // a swap is one
		{"curl", "url"},
		{"rul", "url"},
		{"htpps", ""},    // two away: a replacement and a deletion
		{"nede", "node"}, // one to node, two to needs
		{"measures", "measure"},
		{"x", ""},   // everything is more than one away
		{"lru", ""}, // two away from url
		{"", ""},
		{"concurrency", ""}, // six away
		{"ürl", "url"},      // characters, not bytes
	} {
		t.Run(test.word, func(t *testing.T) {
			if got := Nearest(test.word, known); got != test.want {
				t.Errorf("Nearest(%q) = %q, want %q", test.word, got, test.want)
			}
		})
	}
	if got := Nearest("ab", []string{"ac", "ad"}); got != "ac" {
		t.Errorf("of two equally near %q, want the first, ac", got)
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"kitten", "sitting", 3}, // k->s, e->i, +g
		{"ab", "ba", 1},          // swap
		{"ca", "abc", 3},         // optimal string alignment does not edit inside a swap: 3, not 2
		{"abcdef", "badcfe", 3},  // three swaps
	} {
		for _, pair := range [][2]string{{test.a, test.b}, {test.b, test.a}} {
			if got := distance(pair[0], pair[1]); got != test.want {
				t.Errorf("distance(%q, %q) = %d, want %d", pair[0], pair[1], got, test.want)
			}
		}
	}
}
