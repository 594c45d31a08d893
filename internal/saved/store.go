package saved

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kept is how many entries stay.
const Kept = 100

// numberMax is the last number: what [IsReference] takes.
const numberMax = math.MaxInt32

// Schema names the format of an entry's file.
const Schema = "scalbench.saved/v1"

// Entry is one result with what has to be known of it.
type Entry struct {
	Schema string          `json:"schema"`
	Number int             `json:"number"`
	At     time.Time       `json:"at"`
	Plan   string          `json:"plan"`   // the same for what may be compared
	Result json.RawMessage `json:"result"` // scalbench.load/v1
}

// Store is the entries in a folder. The zero value keeps nothing and has nothing.
type Store struct{ Dir string }

// Folder is the folder of an environment (os.Environ); "" where it names no home.
func Folder(environ []string) string {
	home, state := "", ""
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		switch name {
		case "HOME":
			home = value
		case "XDG_STATE_HOME":
			state = value
		}
	}
	switch {
	case filepath.IsAbs(state): // others are to be ignored, says the specification
	case filepath.IsAbs(home):
		state = filepath.Join(home, ".local", "state")
	default:
		return ""
	}
	return filepath.Join(state, "scalbench", "loads")
}

// ErrNone is wrapped when there is no such entry.
var ErrNone = errors.New("no such saved result")

// Add saves a result and returns its number; 0 when nothing is kept. The folder is made
// for the user alone: a plan tells what is asked of whom.
func (s Store) Add(at time.Time, plan string, result any) (number int, err error) {
	if s.Dir == "" {
		return 0, nil
	}
	text, err := json.Marshal(result)
	if err != nil {
		return 0, fmt.Errorf("save result: %w", err)
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return 0, fmt.Errorf("save result: %w", err)
	}
	numbers, err := s.numbers()
	if err != nil {
		return 0, err
	}
	number = 1
	if n := len(numbers); n > 0 {
		number = numbers[n-1] + 1
	}
	for ; number <= numberMax; number++ {
		entry := Entry{Schema: Schema, Number: number, At: at.UTC(), Plan: plan, Result: text}
		if err = s.write(entry); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if number > numberMax {
		return 0, fmt.Errorf("save result: %s has a result with the last number that there is", s.Dir)
	}
	if err != nil {
		return 0, fmt.Errorf("save result: %w", err)
	}
	return number, s.trim()
}

// write makes an entry's file, whole, and fails with [fs.ErrExist] when another has its
// number.
func (s Store) write(e Entry) error {
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(s.Dir, ".entry-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Link(f.Name(), s.path(e.Number)) // which replaces nothing
}

func (s Store) path(number int) string { return filepath.Join(s.Dir, fmt.Sprintf("%d.json", number)) }

// numbers are those of the entries, ascending.
func (s Store) numbers() ([]int, error) {
	if s.Dir == "" {
		return nil, nil
	}
	files, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list saved results: %w", err)
	}
	var numbers []int
	for _, f := range files {
		digits, is := strings.CutSuffix(f.Name(), ".json")
		if n, err := strconv.Atoi(digits); is && err == nil && n > 0 && n <= numberMax && strconv.Itoa(n) == digits {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// trim deletes the oldest.
func (s Store) trim() error {
	numbers, err := s.numbers()
	if err != nil {
		return err
	}
	for len(numbers) > Kept {
		if err := os.Remove(s.path(numbers[0])); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("delete an old result: %w", err)
		}
		numbers = numbers[1:]
	}
	return nil
}

// read reads one entry.
func (s Store) read(number int) (Entry, error) {
	var e Entry
	if s.Dir == "" { // it would be a file that lies here
		return e, fmt.Errorf("%w: #%d", ErrNone, number)
	}
	text, err := os.ReadFile(s.path(number))
	if errors.Is(err, fs.ErrNotExist) {
		return e, fmt.Errorf("%w: #%d", ErrNone, number)
	}
	if err != nil {
		return e, fmt.Errorf("read saved result #%d: %w", number, err)
	}
	if err := json.Unmarshal(text, &e); err != nil {
		return e, fmt.Errorf("read saved result #%d: %s: %w", number, s.path(number), err)
	}
	if e.Schema != Schema {
		return e, fmt.Errorf("read saved result #%d: %s: schema %q, want %q", number, s.path(number), e.Schema, Schema)
	}
	switch {
	case e.Number != number:
		return e, fmt.Errorf("read saved result #%d: %s: it says that it is #%d", number, s.path(number), e.Number)
	case len(e.Result) == 0 || string(e.Result) == "null":
		return e, fmt.Errorf("read saved result #%d: %s: no result in it", number, s.path(number))
	}
	return e, nil
}

// Before is the newest entry of a plan with a smaller number than one; [ErrNone] when
// there is none. Entries that cannot be read are passed over.
func (s Store) Before(number int, plan string) (Entry, error) {
	numbers, err := s.numbers()
	if err != nil {
		return Entry{}, err
	}
	for _, n := range slices.Backward(numbers) {
		if n >= number {
			continue
		}
		if e, err := s.read(n); err == nil && e.Plan == plan {
			return e, nil
		}
	}
	return Entry{}, ErrNone
}
