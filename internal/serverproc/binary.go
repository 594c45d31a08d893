package serverproc

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Binary is what is known of a program, most of it from its ELF headers. A string is ""
// where the file does not tell.
type Binary struct {
	Path   string // as it was given
	SHA256 string // in hexadecimal
	Bytes  int64

	// Kind is ELF, or for a script its first line, which names what runs it; all below
	// is "" then.
	Kind        string
	Linkage     string   // static, static-pie, pie or dynamic
	Interpreter string   // the dynamic loader
	Libc        string   // such as "glibc 2.36", "musl 1.2.4": of this host's loader, or linked in
	Needed      []string // shared libraries it asks for
	Newest      string   // newest versioned symbol of glibc, such as GLIBC_2.28: the oldest libc it runs with
	BuildID     string   // the linker's, in hexadecimal
	Compiler    string   // the .comment section, each line once
	Go          string   // Go version, module and revision
}

// ReadBinary reads the facts of a file. That it is no ELF file is no error.
func ReadBinary(path string) (Binary, error) {
	file, err := os.Open(path)
	if err != nil {
		return Binary{}, err
	}
	defer file.Close()
	b := Binary{Path: path}
	if b.SHA256, err = sha256Of(file); err != nil {
		return Binary{}, fmt.Errorf("read binary %s: %w", path, err)
	}
	if b.Bytes, err = file.Seek(0, io.SeekCurrent); err != nil {
		return Binary{}, fmt.Errorf("read binary %s: %w", path, err)
	}
	program, err := elf.NewFile(file)
	if err != nil {
		b.Kind, err = firstLine(file)
		return b, err
	}
	b.Kind = "ELF"
	b.readLinkage(program)
	b.BuildID = buildID(program)
	b.Compiler = compiler(program)
	b.Go = goBuild(file)
	return b, nil
}

// firstLine names a script by what runs it.
func firstLine(file io.ReaderAt) (string, error) {
	head := make([]byte, 128)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	line, _, _ := bytes.Cut(head[:n], []byte("\n"))
	if !bytes.HasPrefix(line, []byte("#!")) {
		return "unknown", nil
	}
	return string(line), nil
}

// readLinkage tells how the program finds its libraries.
func (b *Binary) readLinkage(program *elf.File) {
	b.Interpreter = interpreter(program)
	b.Needed, _ = program.ImportedLibraries() // none in a static program
	switch dynamic := b.Interpreter != ""; {
	case program.Type == elf.ET_DYN && dynamic:
		b.Linkage = "pie"
	case program.Type == elf.ET_DYN:
		b.Linkage = "static-pie"
	case dynamic:
		b.Linkage = "dynamic"
	default:
		b.Linkage = "static"
	}
	b.Newest = newestGLIBC(program)
	if b.Interpreter != "" {
		b.Libc = loaderLibc(b.Interpreter)
	} else {
		b.Libc = linkedLibc(program)
	}
}

// interpreter reads the path in PT_INTERP.
func interpreter(program *elf.File) string {
	for _, p := range program.Progs {
		if p.Type == elf.PT_INTERP {
			path, err := io.ReadAll(p.Open())
			if err == nil {
				return string(bytes.TrimRight(path, "\x00"))
			}
		}
	}
	return ""
}

// newestGLIBC finds the highest version among the symbols that are asked for. GLIBC_2.9
// is older than GLIBC_2.28; GLIBC_PRIVATE has no number.
func newestGLIBC(program *elf.File) string {
	needs, err := program.DynamicVersionNeeds()
	if err != nil {
		return "" // no dynamic section
	}
	var newest string
	var newestNumbers []int
	for _, library := range needs {
		for _, version := range library.Needs {
			text, ours := strings.CutPrefix(version.Dep, "GLIBC_")
			numbers, ok := versionNumbers(text)
			if ours && ok && slices.Compare(numbers, newestNumbers) > 0 {
				newest, newestNumbers = version.Dep, numbers
			}
		}
	}
	return newest
}

// versionNumbers reads "2.3.4".
func versionNumbers(text string) (numbers []int, ok bool) {
	for part := range strings.SplitSeq(text, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil, false
		}
		numbers = append(numbers, n)
	}
	return numbers, true
}

// compiler reads the strings of .comment, in which each object file has left the name of
// its compiler.
func compiler(program *elf.File) string {
	section := program.Section(".comment")
	if section == nil {
		return ""
	}
	data, err := section.Data()
	if err != nil {
		return ""
	}
	var names []string
	for _, name := range splitZero(data) {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, "; ")
}

// goBuild is "go1.26.8 example.org/server v1.2.3 c89b145" of a Go program.
func goBuild(file io.ReaderAt) string {
	info, err := buildinfo.Read(file)
	if err != nil {
		return ""
	}
	parts := []string{info.GoVersion, info.Main.Path, info.Main.Version}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			parts = append(parts, setting.Value)
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}
