package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Value is a number that was measured, or none. The zero value is none: a field
// that nobody filled is never taken for a measured 0, which a plain float64 would
// allow, and NaN is neither JSON nor equal to itself.
type Value struct {
	number float64
	known  bool
}

// valueMax is far above everything that is measured here and far below where
// sums and products of float64 end.
const valueMax = 1e18

// Of returns a measured number; NaN is none.
func Of(x float64) Value {
	if math.IsNaN(x) {
		return Value{}
	}
	return Value{number: x, known: true}
}

// Get returns the number and whether there is one.
func (v Value) Get() (float64, bool) { return v.number, v.known }

// Known tells whether there is a number.
func (v Value) Known() bool { return v.known }

// OrNaN returns the number, NaN for none: the form to compute with.
func (v Value) OrNaN() float64 {
	if !v.known {
		return math.NaN()
	}
	return v.number
}

// String returns the shortest decimal that reads back as the same number, without
// an exponent, and "" for none.
func (v Value) String() string {
	if !v.known {
		return ""
	}
	return strconv.FormatFloat(v.number, 'f', -1, 64)
}

// MarshalJSON writes the number, null for none.
func (v Value) MarshalJSON() ([]byte, error) {
	if !v.known {
		return []byte("null"), nil
	}
	return json.Marshal(v.number)
}

// UnmarshalJSON reads a number or null.
func (v *Value) UnmarshalJSON(text []byte) error {
	var number *float64
	if err := json.Unmarshal(text, &number); err != nil {
		return err
	}
	*v = Value{}
	if number != nil {
		*v = Of(*number)
	}
	return nil
}

// parseValue reads the text of a cell; "" is none. Nothing that is written here is
// negative, so a minus sign is a fault and not a small number.
func parseValue(text string) (Value, error) {
	if text == "" {
		return Value{}, nil
	}
	// ParseFloat would take inf, nan and hexadecimal as well.
	if strings.Trim(text, "0123456789.eE+-") != "" {
		return Value{}, fmt.Errorf("%q is no number, expected a decimal such as 112542.1, or nothing where none was measured", text)
	}
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) || x > valueMax:
		return Value{}, fmt.Errorf("%s is too large", text)
	case err != nil:
		return Value{}, fmt.Errorf("%q is no number", text)
	case x < 0 || strings.HasPrefix(text, "-"):
		return Value{}, fmt.Errorf("%s is negative", text)
	}
	return Of(x), nil
}
