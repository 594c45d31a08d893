package measure

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/scalws/scalbench/internal/serverproc"
	"github.com/scalws/scalbench/internal/suite"
)

// logs are what a process writes on its standard streams, and into files that the suite
// names. A process that serves several measurements goes on writing; each of them has what
// was written until its end.
type logs struct {
	dir      processDir
	streams  []*stream
	patterns serverproc.LogPatterns
	places   serverproc.Places
}

// stream is one file that grows.
type stream struct {
	path  string
	name  string // as evidence
	begin int64  // bytes that were there before the process
	taken int64  // bytes that were told of
}

func newLogs(name string, d processDir, rules suite.LogRules, places serverproc.Places) *logs {
	l := &logs{dir: d, patterns: serverproc.LogPatterns{Fail: rules.Fail, Ignore: rules.Ignore}, places: places}
	for _, which := range []string{"stdout", "stderr"} {
		l.streams = append(l.streams, &stream{path: filepath.Join(d.path, which+".log"), name: name + "." + which + ".log"})
	}
	for _, path := range rules.Files {
		if !filepath.IsAbs(path) {
			path = filepath.Join(d.run, path)
		}
		s := &stream{path: path, name: l.freeName(name + "." + filepath.Base(path))}
		if info, err := os.Stat(path); err == nil { // of an earlier one, which had the same
			s.begin, s.taken = info.Size(), info.Size()
		}
		l.streams = append(l.streams, s)
	}
	return l
}

// freeName is a name for evidence that no other log has.
func (l *logs) freeName(name string) string {
	free := name
	for n := 2; slices.ContainsFunc(l.streams, func(s *stream) bool { return s.name == free }); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

// entries are a part of the logs.
type entries struct {
	report serverproc.LogReport
	files  []File // with what fits of it; empty ones are left out
}

// next returns what was written since the last part, up to the end of a line; rest takes
// a last line without an end too, when nothing more will be written.
func (l *logs) next(rest bool) (entries, error) {
	var part entries
	var paths []string
	for _, s := range l.streams {
		path := filepath.Join(l.dir.path, s.name) // what the reports' lines name
		excerpt, err := s.copyNext(path, rest)
		if err != nil {
			return part, fmt.Errorf("read log: %w", err)
		}
		paths = append(paths, path)
		if len(excerpt) > 0 {
			part.files = append(part.files, File{Name: s.name, Data: excerpt})
		}
	}
	var err error
	if part.report, err = l.patterns.Scan(paths, l.places); err != nil {
		return part, err
	}
	for _, path := range paths {
		if err := os.Remove(path); err != nil {
			return part, err
		}
	}
	return part, nil
}

// copyNext copies the next part of a stream into a file of its own, since an access log may
// be larger than memory, and returns what is kept of it.
func (s *stream) copyNext(to string, rest bool) ([]byte, error) {
	from, err := os.Open(s.path)
	if errors.Is(err, fs.ErrNotExist) { // the process has written none, or moved it away
		s.begin, s.taken = 0, 0
		return nil, os.WriteFile(to, nil, 0o644)
	}
	if err != nil {
		return nil, err
	}
	defer from.Close()
	info, err := from.Stat()
	if err != nil {
		return nil, err
	}
	end := info.Size()
	if end < s.taken { // it was begun anew
		s.begin, s.taken = 0, 0
	}
	if !rest {
		if end, err = lineEnd(from, s.taken, end); err != nil {
			return nil, err
		}
	}
	part := io.NewSectionReader(from, s.taken, end-s.taken)
	out, err := os.Create(to)
	if err != nil {
		return nil, err
	}
	defer out.Close() // written whole below, or the error says so
	if _, err := io.Copy(out, part); err != nil {
		return nil, err
	}
	s.taken = end
	return excerptOf(part)
}

// lineEnd is the place after the last line that ends in [from, to); from when none does.
func lineEnd(file io.ReaderAt, from, to int64) (int64, error) {
	const block = 64 << 10
	buf := make([]byte, block)
	for to > from {
		begin := max(from, to-block)
		n, err := file.ReadAt(buf[:to-begin], begin)
		if err != nil && err != io.EOF {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return begin + int64(i) + 1, nil
		}
		to = begin
	}
	return from, nil
}

// LogsLeft are the logs that the processes of a suite have left below a directory of work
// ([Config]): of their standard streams, and the files that they write in directories of
// their own. A log that lies elsewhere nobody clears.
func LogsLeft(work string, s *suite.Suite) ([]string, error) {
	const ofProcess = "*/*" // a start, and a process of it
	paths, err := filepath.Glob(filepath.Join(work, ofProcess, "*.log"))
	if err != nil {
		return nil, err
	}
	rules := []suite.LogRules{}
	for _, v := range s.Variants {
		rules = append(rules, v.Log)
	}
	for _, h := range s.Helpers {
		rules = append(rules, h.Log)
	}
	for _, sc := range s.Scenarios {
		for _, h := range sc.Helpers {
			rules = append(rules, h.Log)
		}
	}
	for _, r := range rules {
		for _, name := range r.Files {
			name = strings.TrimPrefix(name, "{dir}/")
			if filepath.IsAbs(name) {
				continue
			}
			found, err := filepath.Glob(filepath.Join(work, ofProcess, runDir, anyValue.ReplaceAllString(name, "*")))
			if err != nil {
				return nil, fmt.Errorf("log %q: %w", name, err)
			}
			paths = append(paths, found...)
		}
	}
	slices.Sort(paths)
	return slices.DeleteFunc(slices.Compact(paths), func(path string) bool {
		info, err := os.Lstat(path)
		return err != nil || !info.Mode().IsRegular()
	}), nil
}

// anyValue is a placeholder, whatever it stood for.
var anyValue = regexp.MustCompile(`\{[^{}]*\}`)

// LogExcerpt is what is kept of a log file.
func LogExcerpt(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return excerptOf(io.NewSectionReader(file, 0, info.Size()))
}

// excerptMax is how much of the beginning, and of the end, of a log is kept as evidence.
const excerptMax = 128 << 10

// excerptOf is a log, or its beginning and end with a line in between that says what is
// missing.
func excerptOf(log *io.SectionReader) ([]byte, error) {
	if log.Size() <= 2*excerptMax {
		return io.ReadAll(io.NewSectionReader(log, 0, log.Size()))
	}
	head, err := io.ReadAll(io.NewSectionReader(log, 0, excerptMax))
	if err != nil {
		return nil, err
	}
	tail, err := io.ReadAll(io.NewSectionReader(log, log.Size()-excerptMax, excerptMax))
	if err != nil {
		return nil, err
	}
	gap := fmt.Sprintf("\n[... %d bytes left out ...]\n", log.Size()-2*excerptMax)
	return append(append(head, gap...), tail...), nil
}

// allLogs are those of all processes of the variant.
func (r *Running) allLogs() []*logs {
	var all []*logs
	for _, h := range r.helpers {
		all = append(all, h.logs)
	}
	for _, i := range r.instances {
		if i.logs != nil {
			all = append(all, i.logs)
		}
	}
	return all
}

// nextEntries are the next parts of all logs together.
func (r *Running) nextEntries(rest bool) (entries, error) {
	var sum entries
	for _, l := range r.allLogs() {
		part, err := l.next(rest)
		if err != nil {
			return sum, err
		}
		sum.files = append(sum.files, part.files...)
		sum.report.Failures = append(sum.report.Failures, part.report.Failures...)
		sum.report.FailedLines += part.report.FailedLines
		sum.report.Complaints = append(sum.report.Complaints, part.report.Complaints...)
		sum.report.Lines += part.report.Lines
	}
	return sum, nil
}

// failure says what failed by the logs, "" when nothing did.
func (e entries) failure() string {
	if e.report.FailedLines == 0 {
		return ""
	}
	first := e.report.Failures[0]
	first.File = filepath.Base(first.File)
	if e.report.FailedLines == 1 {
		return fmt.Sprintf("the log tells of a failure: %s", first)
	}
	return fmt.Sprintf("the logs tell of %d failures, the first: %s", e.report.FailedLines, first)
}

// scanStart looks at what was written until the variant was ready. A bind failure comes
// then, and makes all measurements worthless. The lines are the first measurement's all
// the same.
func (r *Running) scanStart() error {
	seen, err := r.nextEntries(false)
	if err != nil {
		return err
	}
	for _, l := range r.allLogs() {
		for _, s := range l.streams {
			s.taken = s.begin
		}
	}
	if failure := seen.failure(); failure != "" {
		return faultf("%s", failure)
	}
	return nil
}

// filesOfStart are what is left of a start that failed. What cannot be read is left out:
// there is an error to tell already.
func (r *Running) filesOfStart() []File {
	seen, _ := r.nextEntries(true)
	return append(seen.files, r.configs()...)
}

// configs are the effective configurations, as files.
func (r *Running) configs() []File {
	var files []File
	for _, i := range r.instances {
		if i.configPath == "" {
			continue
		}
		name := "effective-" + filepath.Base(i.configPath)
		if i.seat.number > 1 {
			name = fmt.Sprintf("effective-%d-%s", i.seat.number, filepath.Base(i.configPath))
		}
		files = append(files, File{Name: name, Data: i.config})
	}
	return files
}
