package serverproc

import (
	"bytes"
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

// releaseVersion is what a banner of glibc has before its version.
var releaseVersion = []byte("release version ")

// glibcVersion reads the banner "GNU C Library ... stable release version 2.36." of the
// library, or "ld.so ..." of the loader. By searching for its fixed part: a regular
// expression takes a second for a loader.
func glibcVersion(text []byte) string {
	for {
		i := bytes.Index(text, releaseVersion)
		if i < 0 {
			return ""
		}
		line := text[bytes.LastIndexByte(text[:i], 0)+1 : i]
		text = text[i+len(releaseVersion):]
		if !bytes.Contains(line, []byte("GNU C Library")) && !bytes.Contains(line, []byte("ld.so")) {
			continue
		}
		if version := bannerVersion.Find(text[:min(len(text), 16)]); version != nil {
			return string(version)
		}
	}
}

var bannerVersion = regexp.MustCompile(`^[0-9]+\.[0-9]+`)
