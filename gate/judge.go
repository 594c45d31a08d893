package gate

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/scalws/scalbench/internal/record"
)

// Row is one scenario of one comparison, judged.
type Row struct {
	Comparison
	Mode     string // "" where there is only one
	Scenario string
	Control  bool   // expected to show no difference
	Expected string // what the suite's author expects to see; "": nothing is said. It decides nothing
	Numbers  Numbers
	Effect   Effect  // of the pairs of runs
	Order    Order   // what the order of runs shows
	Limiter  Limiter // what kept the rate from being higher

	// Floor is the noise floor of the host, on the ln scale: what 19 of 20 tables of this
	// size stay below between a program and itself. None: no calibration says.
	Floor record.Value

	Verdict Verdict
	Ratio   float64  // that the verdict is about, above 1 for better; NaN: none
	First   Verdict  // before repeats; equal to Verdict where there are none
	Same    bool     // the verdict is about nothing differing, not about numbers
	Short   string   // half a sentence about the verdict; may be ""
	Why     []string // how it came about, number by number
	Flags   []Flag
	Repeats []Row          // in the order of time
	Ruling  *record.Ruling // nil: none
	Past    []Point        // what earlier sessions said, in the order of time; see [Table.Remember]

	rule      Rule   // that it was judged by, with its own margin
	tests     []test // as Decision has them, with point
	point     bool
	takenBack bool // it fails by itself, and among so many rows that may be chance

	margin string // which margin its rule has, where the suite left it open; ""
}

// wordSame is the word of a cell between whose variants nothing differs.
const wordSame = "SAME"

// ID names a row as rulings and the command line do: [MODE/]SCENARIO NEW/BASE.
func (r *Row) ID() string { return r.cell().String() + " " + r.New + "/" + r.Base }

func (r *Row) cell() cell { return cell{r.Mode, r.Scenario} }

// Is tells whether a name, with or without the variants, names the row.
func (r *Row) Is(name string) bool { return name == r.cell().String() || name == r.ID() }

// Word is what the row's cell says.
func (r *Row) Word() string {
	switch {
	case r.Same:
		return wordSame
	case r.Ruling != nil:
		return r.Verdict.String() + " (ruled)"
	}
	return r.Verdict.String()
}

// Table is a judged table.
type Table struct {
	Name     string
	Session  string // directory of its first session; "": not here
	Origin   Origin
	RepeatOf string // session that it repeats, and that is not here; "": it is no repeat
	Rules    Rules
	Rows     []Row // by comparison, then in the order of the plan

	Estimate string           // why it gives no verdict of record; "": it does
	Notes    []string         // about the rounds
	Rounds   []*record.Round  // it was judged by, in the order of time
	Differs  []record.Differs // of each comparison, as seen in the first round that has them
	Variants []record.PlanVariant

	// Profiles are what samples say of rows, and ProfileNotes why there are none, or fewer
	// than were asked for. Nothing is judged by them.
	Profiles     []record.ProfileView
	ProfileNotes []string
}

// Judge makes a table of evidence. It is pure: the same evidence and rules give the
// same table. The error is that of rules.Validate; whatever is wrong with the
// evidence is in the table, as INVALID rows with their reason.
func Judge(e Evidence, rules Rules) (Table, error) {
	if err := rules.Validate(); err != nil {
		return Table{}, fmt.Errorf("rules: %w", err)
	}
	b := gather(e)
	if b.plan != nil && b.plan.Sliced() && rules.Rule.Policy != NonInferior {
		b.fault("it was measured in slices of time (interleave: %s), whose pairs only policy %s judges, and this is policy %s", record.InterleaveSliced, NonInferior, rules.Rule.Policy)
	}
	b.noteLooks(rules.Rule)
	b.addedRounds(rules.Rule)
	b.addNotes()
	b.noteLogErrors()
	t := Table{Name: nameOf(e), Rules: rules, Notes: b.notes, Rounds: b.rounds}
	t.Origin = originOf(t.Name, b.first)
	if b.first != nil {
		t.Session = b.first.Dir
	}
	if b.plan != nil {
		t.Variants, t.RepeatOf = variantsAsRun(b.plan.Variants, b.rounds), b.plan.RepeatOf
	}
	t.Estimate = estimate(&b, rules.Rule)
	b.calibration = chooseCalibration(calibrationsFor(b.plan, e), b.first)
	for _, c := range rules.Compare {
		cells := b.ofEither(c, b.cells(c))
		if len(cells) == 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("no row of %s: %s", c, b.noCells(c)))
		}
		for _, k := range cells {
			t.Rows = append(t.Rows, b.judgeRow(b.rounds, b.plan, c, k, rules))
		}
		t.Differs = append(t.Differs, firstDiffers(b.rounds, c)...)
	}
	correct(t.rows(), rules.Rule)
	for _, r := range b.repeats {
		b.applyRepeat(&t, r)
	}
	for i := range t.Rows {
		t.Rows[i].settle()
		t.Rows[i].flagRepeats()
		applyRulings(&t.Rows[i], rules.Rulings, t.began())
	}
	t.Notes = append(t.Notes, slices.Concat(b.calibration.notes(t.Rows), marginNotes(t.Rows))...)
	t.addProfiles(e.Profiles, b.plan)
	return t, nil
}

// variantsAsRun are the variants of a plan with the programs that were seen to run: a
// plan, which is made before anything is started, may have the wrapper of one.
func variantsAsRun(planned []record.PlanVariant, rounds []*record.Round) []record.PlanVariant {
	variants := slices.Clone(planned)
	for _, r := range slices.Backward(rounds) { // the first has the last word
		if r.Identity == nil {
			continue
		}
		for _, ran := range r.Identity.Programs {
			if i := slices.IndexFunc(variants, func(v record.PlanVariant) bool { return v.Name == ran.Variant }); i >= 0 {
				variants[i].Binary = &ran.Binary
			}
		}
	}
	return variants
}

// rows are the places of all rows.
func (t *Table) rows() []*Row {
	all := make([]*Row, len(t.Rows))
	for i := range t.Rows {
		all[i] = &t.Rows[i]
	}
	return all
}

// nameOf is the table's name.
func nameOf(e Evidence) string {
	switch {
	case e.Name != "":
		return e.Name
	case len(e.Rounds) > 0:
		return e.Rounds[0].Table
	case len(e.Sessions) > 0:
		return strings.TrimSuffix(path.Base(e.Sessions[0].Dir), path.Ext(e.Sessions[0].Dir))
	}
	return ""
}

// unofficial are the presets that give no verdict of record, however many rounds.
var unofficial = []string{"estimate", "quick", "smoke"}

// estimate tells why the table gives no verdict of record; "" when it does.
func estimate(b *body, rule Rule) string {
	if b.plan != nil && b.plan.StandIn != "" {
		return b.plan.StandIn
	}
	if text := tooFewRounds(len(b.rounds), rule); text != "" {
		return text
	}
	if len(b.lacks) > 0 {
		return strings.Join(b.lacks, "; ")
	}
	if text := b.unmeasured(rule); text != "" {
		return text
	}
	if b.plan != nil && slices.Contains(unofficial, b.plan.Preset) {
		return "measured with preset " + b.plan.Preset
	}
	return ""
}

// tooFewRounds tells of what a policy needs; "" when there are enough.
func tooFewRounds(rounds int, rule Rule) string {
	need := rule.Rounds()
	if rounds >= need {
		return ""
	}
	return fmt.Sprintf("%d of the %d rounds that policy %s needs", rounds, need, rule.Policy)
}

// judgeRow judges one row by the given rounds. What cannot be judged is told apart
// before any number is looked at.
func (b *body) judgeRow(rounds []*record.Round, plan *record.Plan, c Comparison, k cell, rules Rules) Row {
	row := Row{Comparison: c, Mode: k.mode, Scenario: k.scenario, Numbers: noNumbers(), Effect: noEffect("not judged"), Ratio: math.NaN()}
	var needs []string
	var own record.Value // its margin
	if plan != nil {
		s, _ := plan.Scenario(k.mode, k.scenario)
		if !rules.OneMargin {
			own = s.Margin
		}
		row.Control, row.Expected, needs = s.Control, s.Expected, s.Needs
		if s.Bound == record.BoundApp {
			row.Numbers.Metric = CPU
		}
	}
	row.rule = rules.Rule.of(row.Numbers.Metric, own)
	if len(b.faults) > 0 {
		row.conclude(Invalid, b.faults...)
		return row
	}
	all := rounds
	rounds, fault := b.roundsOf(rounds, k)
	if fault != "" {
		row.conclude(Invalid, fault)
		return row
	}
	sample, why := draw(rounds, plan, c, k)
	if why != nil {
		row.unjudged(why, needs, rules.AllowMissing)
		return row
	}
	row.flagAttempts(b, rounds)
	if b.refuseLikeness(&row, rounds, rules) {
		return row
	}
	if text := row.flagMeasurements(sample, plan == nil || !slices.Contains(unofficial, plan.Preset)); text != "" {
		row.conclude(Invalid, text)
		return row
	}
	metric := row.Numbers.Metric
	if plan != nil && plan.Sliced() {
		if text := unturned(sample, metric); text != "" {
			row.conclude(Invalid, text)
			return row
		}
	}
	row.Numbers = measure(sample)
	row.Numbers.Turns = plan != nil && plan.Sliced()
	row.Numbers.Metric, row.Numbers.Row, row.Numbers.Plan = metric, row.ID(), rounds[0].Session
	if plan != nil {
		row.Numbers.Plan = plan.Hash
	}
	b.calibration.floorRule(&row, rules.OpenMargin && !own.Known())
	row.decide(row.rule)
	row.sayMargin()
	row.sayStopped(rounds, all)
	row.flagOrder(sample)
	b.calibration.flagNoise(&row)
	row.flagSeconds(sample, b.seconds)
	return row
}

// conclude ends a row without numbers.
func (r *Row) conclude(v Verdict, reasons ...string) {
	r.Verdict, r.First, r.Short, r.Why = v, v, reasons[0], reasons
}

// decide ends a row with numbers.
func (r *Row) decide(rule Rule) {
	r.rule = rule
	d := Decide(r.Numbers, rule)
	r.Verdict, r.First, r.Short, r.Why = d.Verdict, d.Verdict, d.Short, d.Why
	r.Ratio, r.Effect, r.tests, r.point = d.Ratio, d.Effect, d.tests, d.point
	if d.Verdict != Invalid {
		r.Limiter = limiterOf(&r.Numbers)
		r.flagNumbers(rule)
		r.flagEffect()
	}
}

// sayMargin tells by which margin the row was judged, where the suite left it open.
func (r *Row) sayMargin() {
	if r.margin != "" {
		r.Why = append([]string{r.margin}, r.Why...)
	}
}

// unjudged ends a row that has no sample. What may be missing counts as impossible.
func (r *Row) unjudged(why *unjudged, needs, allowed []string) {
	r.conclude(why.verdict, why.reason)
	if why.verdict != NotRun {
		return
	}
	for _, name := range allowed {
		if r.Is(name) || name == r.Scenario || slices.Contains(needs, name) {
			r.conclude(NotApplicable, why.reason+"; it may be missing: "+name)
			return
		}
	}
}

// refuseLikeness ends a row whose variants were the same program, or differed in what
// they may not.
func (b *body) refuseLikeness(r *Row, rounds []*record.Round, rules Rules) bool {
	like, text := b.compareVariants(rounds, r.Comparison, r.cell())
	switch like {
	case broken:
		r.conclude(Invalid, text)
		return true
	case same:
		if r.SameOK != "" {
			r.flag(FlagSame, "%s; it may be: %s", text, r.SameOK)
			return false
		}
		r.Same = true
		switch {
		case !rules.PassSame:
			r.conclude(Invalid, text+": a program against itself shows nothing")
		case !sameInAll(rounds, r.Comparison):
			r.conclude(Invalid, text+", and not in every other round: what differed there was measured, and is not passed unjudged")
		default:
			r.conclude(Pass, text)
		}
		return true
	case unknown:
		r.flag(FlagDiffersUnknown, "%s", text)
	}
	return false
}

// firstDiffers returns the differences of a comparison in the first round that has
// them, none when no round has.
func firstDiffers(rounds []*record.Round, c Comparison) []record.Differs {
	for _, r := range rounds {
		if r.Identity == nil {
			continue
		}
		if d, looked := differsIn(r.Identity, c); looked {
			return []record.Differs{d}
		}
	}
	return nil
}
