package servers

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFill(t *testing.T) {
	values := map[string]string{"port_h1": "80", "dir": "/x"}
	for _, test := range []struct{ template, want, fault string }{
		{"listen {port_h1};", "listen 80;", ""},
		{"{dir}/{dir}", "/x//x", ""},
		{"server { listen {port_h1}; }", "server { listen 80; }", ""}, // braces of nginx
		{`"%{+Q}o %{Host}i"`, `"%{+Q}o %{Host}i"`, ""},                // of haproxy and apache2
		{"{port_h2} {prot} {port_h2}", "", "no value for {port_h2}, {prot}"},
	} {
		text, err := fill(test.template, values)
		fault := ""
		if err != nil {
			fault = err.Error()
		}
		if text != test.want || fault != test.fault {
			t.Errorf("%s: %q, %q; want %q, %q", test.template, text, fault, test.want, test.fault)
		}
	}
}

// Each configuration uses every setting of its kind: one that is not in it
// would change nothing, and a test that sets it would test something else.
func TestSettingsAreUsed(t *testing.T) {
	for _, k := range kinds {
		text, err := os.ReadFile(filepath.Join("../../configs", k.name, "protocols.conf"))
		if err != nil {
			t.Fatal(err)
		}
		used := map[string]bool{}
		for _, name := range placeholder.FindAllString(string(text), -1) {
			used[name] = true
		}
		for name := range k.settings {
			if !used["{"+name+"}"] {
				t.Errorf("%s: {%s} is not in its configuration", k.name, name)
			}
		}
		for _, name := range []string{"{port_h1}", "{port_h2c}", "{port_tls}", "{port_backend}"} {
			if !used[name] {
				t.Errorf("%s: %s is not in its configuration", k.name, name)
			}
		}
	}
}
