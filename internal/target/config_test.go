package target

import (
	"os"
	"path/filepath"
	"testing"
)

func TestValidate(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		cfg  Config
		want string
	}{
		{"zero", Config{}, ""},
		{"all", Config{Listen: "localhost:8080", Dir: dir}, ""},
		{"every interface", Config{Listen: ":0"}, ""},
		{"v6", Config{Listen: "[::1]:65535"}, ""},
		{"no port", Config{Listen: "127.0.0.1"}, `listen address "127.0.0.1": expected host:port such as 127.0.0.1:0`},
		{"port too high", Config{Listen: "127.0.0.1:65536"},
			`listen address "127.0.0.1:65536": port "65536": expected a number from 0 to 65535`},
		{"both wrong", Config{Listen: "a:b", Dir: file},
			`listen address "a:b": port "b": expected a number from 0 to 65535` + "\n" +
				`directory of the static files: "` + file + `" is not a directory`},
		{"no directory", Config{Dir: filepath.Join(dir, "x")},
			"directory of the static files: stat " + filepath.Join(dir, "x") + ": no such file or directory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := errorText(test.cfg.Validate()); got != test.want {
				t.Errorf("Validate: %q, want %q", got, test.want)
			}
		})
	}
}
