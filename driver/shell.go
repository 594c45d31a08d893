package driver

import (
	"regexp"
	"slices"
	"strings"
)

// inShell is what a shell is told to run a command, so that it becomes the server where it
// can: at the last of the commands that && and ; join. Where it cannot be told which that is
// (behind a pipe, in a loop, in another shell) the command stays as it is, and the server
// is a child of the shell.
func inShell(command string) string {
	at, known := lastCommand(command)
	before, last := command[:at], strings.TrimLeft(command[at:], " \t")
	first, _, _ := strings.Cut(last, " ")
	switch {
	case !known || last == "" || slices.Contains(ofTheShell(), first):
		return command
	case assignment.MatchString(last):
		return before + " exec env " + last // exec takes none
	}
	return strings.TrimLeft(before+" exec ", " ") + last
}

// assignment begins a command with a variable of its environment.
var assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

// ofTheShell are words that are no program: the shell's grammar, and what it does itself.
func ofTheShell() []string {
	return []string{"if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "{", "}", "!", "[[", "function", "time",
		"exec", "eval", ".", "source", "command", "builtin", "wait", "trap", "exit", "return", "cd", "export", "set", "unset", "ulimit", "umask", ":"}
}

// lastCommand tells where the last of the commands begins that && and ; join; false: there
// is more in it than that.
func lastCommand(command string) (at int, known bool) {
	if strings.Contains(command, "$(") || strings.ContainsAny(command, "`\n") {
		return 0, false
	}
	quote := byte(0)
	for i := 0; i < len(command); i++ {
		c, next, previous := command[i], byte(0), byte(' ')
		if i+1 < len(command) {
			next = command[i+1]
		}
		if i > 0 {
			previous = command[i-1]
		}
		switch {
		case c == '\\' && quote != '\'':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == ';':
			at = i + 1
		case c == '&' && next == '&':
			at = i + 2
			i++
		case c == '&' && (previous == '>' || previous == '<'): // 2>&1
		case c == '&' || c == '|' || c == '(' || c == ')' || c == '#' && previous == ' ':
			return 0, false
		}
	}
	return at, quote == 0
}
