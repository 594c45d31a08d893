package serverproc

import (
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"testing"
)

// This test binary: of Go, whatever else it is.
func TestReadBinaryOfGo(t *testing.T) {
	b, err := ReadBinary(self(t))
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(self(t))
	if err != nil {
		t.Fatal(err)
	}
	if b.Kind != "ELF" || b.Bytes != info.Size() || len(b.SHA256) != 64 || !regexp.MustCompile(`^`+regexp.QuoteMeta(runtime.Version())).MatchString(b.Go) {
		t.Errorf("%+v, want %d bytes of %s", b, info.Size(), runtime.Version())
	}
	if !slices.Contains([]string{"static", "dynamic", "pie", "static-pie"}, b.Linkage) || (b.Linkage == "static") != (b.Interpreter == "") {
		t.Errorf("linkage %q with interpreter %q", b.Linkage, b.Interpreter)
	}
}

// A program of the distribution: linked to its C library.
func TestReadBinaryOfC(t *testing.T) {
	path, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil {
		t.Skipf("this host has no /bin/sh: %v", err)
	}
	b, err := ReadBinary(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.Interpreter == "" || libcName(b.Interpreter) != "glibc" {
		t.Skipf("the shell is not linked to glibc: %+v", b)
	}
	if !slices.Contains(b.Needed, "libc.so.6") || b.Linkage != "pie" && b.Linkage != "dynamic" || b.Go != "" {
		t.Errorf("%+v", b)
	}
	for name, check := range map[string][2]string{
		"libc":     {b.Libc, `^glibc 2\.[0-9]+$`},
		"newest":   {b.Newest, `^GLIBC_2\.[0-9.]+$`},
		"build id": {b.BuildID, `^[0-9a-f]{16,}$`},
	} {
		if !regexp.MustCompile(check[1]).MatchString(check[0]) {
			t.Errorf("%s %q, want %s", name, check[0], check[1])
		}
	}
}

func TestReadBinaryOfScript(t *testing.T) {
	path := filepath.Join(t.TempDir(), "script")
	for text, want := range map[string]string{"#!/bin/sh -e\nexec x\n": "#!/bin/sh -e", "": "unknown", "\x7fELF": "unknown"} {
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		if b, err := ReadBinary(path); err != nil || b.Kind != want || b.Bytes != int64(len(text)) || b.Linkage != "" {
			t.Errorf("%q: %+v, %v, want %q", text, b, err, want)
		}
	}
	if _, err := ReadBinary("/no/such/program"); err == nil {
		t.Error("a program that is not there was read")
	}
}

func TestLibcOf(t *testing.T) {
	tests := []struct{ loader, text, want string }{
		{"/lib64/ld-linux-x86-64.so.2", "x\x00ld.so (Debian GLIBC 2.36-9) stable release version 2.36.\nCopyright", "glibc 2.36"},
		{"/lib64/ld-linux-x86-64.so.2", "GNU C Library (GNU libc) stable release version 2.28.", "glibc 2.28"},
		{"/lib64/ld-linux-x86-64.so.2", "nothing", "glibc"},
		{"/lib/ld-musl-x86_64.so.1", "\x00musl libc (x86_64)\nVersion %s\n\x001.2.4\x00", "musl 1.2.4"},
		{"/lib/other.so", "\x001.2.4\x00", ""},
	}
	for _, test := range tests {
		if got := libcOf(test.loader, []byte(test.text)); got != test.want {
			t.Errorf("%s with %q is %q, want %q", test.loader, test.text, got, test.want)
		}
	}
}

func TestVersionNumbers(t *testing.T) {
	older, ok1 := versionNumbers("2.9")
	newer, ok2 := versionNumbers("2.28")
	_, ok3 := versionNumbers("PRIVATE")
	if !ok1 || !ok2 || ok3 || slices.Compare(older, newer) >= 0 {
		t.Errorf("2.9 is %v, 2.28 is %v, PRIVATE %t", older, newer, ok3)
	}
}

func TestFindNote(t *testing.T) {
	program := &elf.File{FileHeader: elf.FileHeader{ByteOrder: binary.LittleEndian}}
	note := func(kind uint32, name, content string) []byte {
		b := binary.LittleEndian.AppendUint32(nil, uint32(len(name)))
		b = binary.LittleEndian.AppendUint32(b, uint32(len(content)))
		b = binary.LittleEndian.AppendUint32(b, kind)
		pad := func(s string) string { return s + string(make([]byte, (4-len(s)%4)%4)) }
		return append(append(b, pad(name)...), pad(content)...)
	}
	property, id := note(5, "GNU\x00", "12345678"), note(3, "GNU\x00", "abcdef")
	if got := findNote(slices.Concat(property, note(3, "Go\x00\x00", "x"), id), program, 4); string(got) != "abcdef" {
		t.Errorf("found %q", got)
	}
	for n := range len(id) { // cut anywhere: none, and no panic
		if got := findNote(id[:n], program, 4); got != nil && n < 12+4+6 {
			t.Errorf("found %q in %d bytes", got, n)
		}
	}
	if got := findNote(note(3, "XYZ\x00", "abcdef"), program, 0); got != nil {
		t.Errorf("found %q under another name", got)
	}
}
