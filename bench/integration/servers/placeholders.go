package servers

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// placeholder is a name in braces. The braces of the servers' own languages
// stand beside spaces or percent signs.
var placeholder = regexp.MustCompile(`\{[a-z][a-z0-9_]*\}`)

// fill puts values in the place of a template's placeholders. One without a
// value is an error.
func fill(template string, values map[string]string) (string, error) {
	var unknown []string
	text := placeholder.ReplaceAllStringFunc(template, func(name string) string {
		value, ok := values[strings.Trim(name, "{}")]
		if !ok && !slices.Contains(unknown, name) {
			unknown = append(unknown, name)
		}
		return value
	})
	if len(unknown) > 0 {
		return "", fmt.Errorf("no value for %s", strings.Join(unknown, ", "))
	}
	return text, nil
}
