package suite

// Gate is the rule that a suite asks for. The zero value is the policy parity with
// its defaults. A nil pointer is the policy's default; shares and ratios are
// fractions of 1.
type Gate struct {
	Policy Policy

	MaxMargin *float64 // cap of the spread that excuses a loss; 0: none. Only of Parity
	MinRatio  *float64 // new / base that passes. Only of Fixed
	Margin    *float64 // loss that still passes. Only of NonInferior, as the next two
	Alpha     *float64 // error of each side
	Spend     Spend

	Interval Interval

	OnInconclusive OnInconclusive // only of NonInferior

	Limits Limits
}

// Limits are the greatest ratios new / base that pass, whatever the rate; 0: no
// limit.
type Limits struct {
	P99, P999, RSS, CPU *float64
}

// Policy is how a ratio becomes a verdict.
type Policy uint8

const (
	Parity      Policy = iota // at least 1, or below by less than the spread
	Fixed                     // at least a ratio
	NonInferior               // surely not worse than a margin
)

// String returns the word of the file.
func (p Policy) String() string { return [...]string{"parity", "fixed", "noninferior"}[p] }

// Spend is how the error is divided among the rounds after which a policy may stop.
type Spend uint8

const (
	SpendDefault  Spend = iota // the policy's own
	OBrienFleming              // little early, as O'Brien and Fleming
	Power2                     // as the square of the part that is done
)

// String returns the word of the file, "" for SpendDefault.
func (s Spend) String() string { return [...]string{"", "obf", "power2"}[s] }

// Interval is how bounds of a ratio are made.
type Interval uint8

const (
	IntervalDefault Interval = iota // by rounds
	ByRounds                        // a round may add something of its own
	ByPairs                         // rounds are known to add nothing
	ByBootstrap
)

// String returns the word of the file, "" for IntervalDefault.
func (i Interval) String() string { return [...]string{"", "rounds", "pairs", "bootstrap"}[i] }

// OnInconclusive is what a row counts as that is INCONCLUSIVE in the end.
type OnInconclusive uint8

const (
	StaysInconclusive OnInconclusive = iota
	CountsAsFail
	CountsAsPass
)

// String returns the word of the file, "" for StaysInconclusive.
func (o OnInconclusive) String() string { return [...]string{"", "fail", "pass"}[o] }

// Comparison is which variant is held against which: ratios are New / Base.
type Comparison struct {
	Base, New string // names of variants, which differ

	// SameOK says why the two may be the same program, "": they may not. It is that
	// of the comparison, else of New, else of Base.
	SameOK string
}

// Things are the words of `varies`: in what two variants can differ.
func Things() []string {
	return []string{"binary", "config", "argv", "env", "uid", "helpers",
		"seccomp", "seccomp_filters", "no_new_privs", "cap_eff", "limits"}
}
