package record

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

const (
	sessionSuffix = ".session"
	runPrefix     = "run-"
)

// SessionDir is the name of a session's directory: xeon-gate1.session.
func SessionDir(host, suite string) string { return host + "-" + suite + sessionSuffix }

// RoundDir is the name of a round's directory: xeon-gate1-2.
func RoundDir(host, suite string, round int) string {
	return fmt.Sprintf("%s-%s-%d", host, suite, round)
}

// RunDir is where a run of a variant lies in its round: run-3/el8.
func RunDir(run int, variant string) string { return path.Join(runPrefix+strconv.Itoa(run), variant) }

// SplitRoundDir returns the table's name and the number of a round's directory:
// xeon-gate1 and 2 of results/xeon-gate1-2.
func SplitRoundDir(dir string) (table string, round int, err error) {
	base := path.Base(dir)
	at := strings.LastIndexByte(base, '-')
	if at > 0 {
		if n, err := strconv.ParseUint(base[at+1:], 10, 31); err == nil && n > 0 && base[at+1] != '0' {
			return base[:at], int(n), nil
		}
	}
	if strings.HasSuffix(base, ".aborted") {
		return "", 0, fmt.Errorf("%s was aborted: it is no evidence", base)
	}
	return "", 0, fmt.Errorf("%s is no directory of a round, expected HOST-SUITE-ROUND such as xeon-gate1-2", base)
}

// SessionDirOf is the directory of the session that a round's directory belongs to.
func SessionDirOf(roundDir string) (string, error) {
	table, _, err := SplitRoundDir(roundDir)
	if err != nil {
		return "", err
	}
	return path.Join(path.Dir(roundDir), table+sessionSuffix), nil
}
