package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// readJSON reads a file that is one JSON value. Unknown keys are ignored: the
// formats grow, and an older program must be able to read a newer session.
func readJSON[T any](in io.Reader, faults *faultList) (value T, ok bool) {
	text, ok := readText(in, faults)
	if !ok {
		return value, false
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	if err := decoder.Decode(&value); err != nil {
		faults.at(jsonLine(text, decoder, err), "no JSON as expected: %v", jsonText(err))
		return value, false
	}
	if rest := strings.TrimSpace(text[decoder.InputOffset():]); rest != "" {
		faults.at(1+strings.Count(text[:decoder.InputOffset()], "\n"), "more after the end of the JSON value")
		return value, false
	}
	return value, true
}

// jsonLine is the line on which decoding stopped.
func jsonLine(text string, decoder *json.Decoder, err error) int {
	offset := decoder.InputOffset()
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &mismatch):
		offset = mismatch.Offset
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		offset = int64(len(text))
	}
	offset = min(max(offset, 0), int64(len(text)))
	return 1 + strings.Count(strings.TrimSuffix(text[:offset], "\n"), "\n")
}

// jsonText words what the decoder says for people.
func jsonText(err error) string {
	switch {
	case errors.Is(err, io.EOF):
		return "the file is empty"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the file was cut"
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// writeJSON writes a value as people can read it, with a line feed at the end.
func writeJSON(out io.Writer, value any) error {
	var file bytes.Buffer
	encoder := json.NewEncoder(&file)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	_, err := out.Write(file.Bytes())
	return err
}
