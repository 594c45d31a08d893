package serverproc

import (
	"debug/elf"
	"io"
	"os"
	"path"
	"regexp"
	"strings"
)

// libcMaxBytes bounds what is searched for a version. A loader has some 250 KB, and the
// constants of a program seldom have more than this.
const libcMaxBytes = 32 << 20

// loaderLibc tells the C library by its dynamic loader, which belongs to it and carries
// its version: that with which the program runs on this host. Without the file it is the
// name alone.
func loaderLibc(loader string) string {
	file, err := os.Open(loader)
	if err != nil {
		return libcName(loader)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, libcMaxBytes))
	if err != nil {
		return libcName(loader)
	}
	return libcOf(loader, text)
}

// libcOf finds the version in the bytes of a loader.
func libcOf(loader string, text []byte) string {
	name := libcName(loader)
	var version string
	switch name {
	case "glibc":
		version = glibcVersion(text)
	case "musl":
		// Its loader prints "musl libc (x86_64)", "Version %s" with this string.
		if found := regexp.MustCompile(`\x00([0-9]+\.[0-9]+\.[0-9]+)\x00`).FindSubmatch(text); found != nil {
			version = string(found[1])
		}
	}
	return strings.TrimSpace(name + " " + version)
}

// libcName reads "/lib64/ld-linux-x86-64.so.2" and "/lib/ld-musl-x86_64.so.1".
func libcName(loader string) string {
	switch base := path.Base(loader); {
	case strings.HasPrefix(base, "ld-musl-"):
		return "musl"
	case strings.HasPrefix(base, "ld-linux"), strings.HasPrefix(base, "ld64.so"), strings.HasPrefix(base, "ld.so"):
		return "glibc"
	}
	return ""
}

// linkedLibc finds glibc's banner in a static program. musl leaves none.
func linkedLibc(program *elf.File) string {
	section := program.Section(".rodata")
	if section == nil || section.Size > libcMaxBytes {
		return ""
	}
	text, err := section.Data()
	if err != nil || glibcVersion(text) == "" {
		return ""
	}
	return "glibc " + glibcVersion(text)
}

// glibcVersion reads the banner "... stable release version 2.36.".
func glibcVersion(text []byte) string {
	found := regexp.MustCompile(`(?:GNU C Library|ld\.so) [^\x00]*release version ([0-9]+\.[0-9]+)`).FindSubmatch(text)
	if found == nil {
		return ""
	}
	return string(found[1])
}
