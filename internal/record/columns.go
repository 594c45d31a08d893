package record

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Each function here makes a column of one kind of cell; at returns the place of
// its value in a line.

// nameColumn holds a name that can stand in a path.
func nameColumn[T any](name string, at func(*T) *string) column[T] {
	return column[T]{name: name,
		parse: func(line *T, text string) error {
			if !IsName(text) {
				return fmt.Errorf("%q, %s", text, nameRule)
			}
			*at(line) = text
			return nil
		},
		format: func(line *T) string { return *at(line) },
	}
}

// textColumn holds any text on one line, or nothing.
func textColumn[T any](name string, at func(*T) *string) column[T] {
	return column[T]{name: name,
		parse: func(line *T, text string) error {
			if !isPlain(text) {
				return fmt.Errorf("%q has control characters, or bytes that are not UTF-8", text)
			}
			*at(line) = text
			return nil
		},
		format: func(line *T) string { return *at(line) },
	}
}

// hashColumn holds a SHA-256 in hexadecimal, or nothing where it could not be read.
func hashColumn[T any](name string, at func(*T) *string) column[T] {
	c := textColumn(name, at)
	c.parse = func(line *T, text string) error {
		if text != "" && !isSHA256(text) {
			return fmt.Errorf("%q is no SHA-256, expected 64 characters of 0-9a-f, or nothing", text)
		}
		*at(line) = text
		return nil
	}
	return c
}

// intColumn holds a whole number from least on.
func intColumn[T any](name string, least int, at func(*T) *int) column[T] {
	return column[T]{name: name,
		parse: func(line *T, text string) error {
			n, err := parseDigits(text, 31)
			if err != nil {
				return err
			}
			if int(n) < least {
				return fmt.Errorf("%s, expected %d or more", text, least)
			}
			*at(line) = int(n)
			return nil
		},
		format: func(line *T) string { return strconv.Itoa(*at(line)) },
	}
}

// countColumn holds a number of things; nothing reads as 0, which is what a
// measurement that never began has counted.
func countColumn[T any](name string, at func(*T) *uint64) column[T] {
	return column[T]{name: name,
		parse: func(line *T, text string) (err error) {
			*at(line), err = parseDigits(text, 63)
			return err
		},
		format: func(line *T) string { return strconv.FormatUint(*at(line), 10) },
	}
}

// ifAnyColumn is a count of something that most lines have nothing of: empty for 0.
func ifAnyColumn[T any](name string, at func(*T) *uint64) column[T] {
	c := countColumn(name, at)
	parse, format := c.parse, c.format
	c.parse = func(line *T, text string) error {
		if text == "" {
			return nil
		}
		return parse(line, text)
	}
	c.format = func(line *T) string {
		if *at(line) == 0 {
			return ""
		}
		return format(line)
	}
	return c
}

// parseDigits reads a number that is written in digits alone.
func parseDigits(text string, bits int) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, bits)
	switch {
	case strings.HasPrefix(text, "-"):
		return 0, fmt.Errorf("%s is negative", text)
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s is too large", text)
	case err != nil:
		return 0, fmt.Errorf("%q, expected a whole number", text)
	}
	return n, nil
}

// valueColumn holds a measured number that is not negative, or nothing.
func valueColumn[T any](name string, at func(*T) *Value) column[T] {
	return column[T]{name: name,
		parse: func(line *T, text string) (err error) {
			*at(line), err = parseValue(text)
			return err
		},
		format: func(line *T) string { return at(line).String() },
	}
}

// boolColumn holds yes or no.
func boolColumn[T any](name string, at func(*T) *bool) column[T] {
	return column[T]{name: name,
		parse: func(line *T, text string) error {
			if text != "yes" && text != "no" {
				return fmt.Errorf("%q, expected yes or no", text)
			}
			*at(line) = text == "yes"
			return nil
		},
		format: func(line *T) string {
			if *at(line) {
				return "yes"
			}
			return "no"
		},
	}
}

// timeColumn holds an instant of RFC 3339 in UTC, or nothing for the zero time.
func timeColumn[T any](name string, at func(*T) *time.Time) column[T] {
	return column[T]{name: name,
		parse: func(line *T, text string) error {
			*at(line) = time.Time{}
			if text == "" {
				return nil
			}
			instant, err := time.Parse(time.RFC3339Nano, text)
			if err != nil || !strings.HasSuffix(text, "Z") {
				return fmt.Errorf("%q, expected a time in UTC such as 2026-11-06T21:00:05.25Z", text)
			}
			*at(line) = instant
			return nil
		},
		format: func(line *T) string {
			if at(line).IsZero() {
				return ""
			}
			return at(line).UTC().Format(time.RFC3339Nano)
		},
	}
}

// wordsColumn holds words with a space between them, or nothing.
func wordsColumn[T any](name string, at func(*T) *[]string) column[T] {
	return column[T]{name: name,
		parse: func(line *T, text string) error {
			*at(line) = nil
			if text == "" {
				return nil
			}
			words := strings.Split(text, " ")
			for _, word := range words {
				if !isWord(word) {
					return fmt.Errorf("%q, expected words with one space between them", text)
				}
			}
			*at(line) = words
			return nil
		},
		format: func(line *T) string { return strings.Join(*at(line), " ") },
	}
}

// isWord tells whether text is a flag such as noisy-host or flip@12.
func isWord(text string) bool {
	return text != "" && isPlain(text) && !strings.ContainsAny(text, " \u00a0")
}

// optional makes a column one that older files may lack.
func optional[T any](c column[T]) column[T] {
	c.optional = true
	return c
}
