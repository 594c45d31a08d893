package target

import (
	"fmt"
	"math"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

const (
	defaultPace = time.Millisecond // between the bytes of /fault/slow
	maxPace     = time.Second
	maxAfter    = 1_000_000_000

	// shareUnit is the precision of a share: its shares are whole millionths,
	// so that counting never rounds.
	shareUnit = 1_000_000
)

// misbehaveOptions say which requests are answered wrong, and how fast.
type misbehaveOptions struct {
	after uint64        // so many requests of each connection are answered well
	share uint64        // of the others, in millionths
	pace  time.Duration // between two bytes of a slow answer
}

// misbehave answers /fault/{kind} in cleartext: as the kind says, or with "ok"
// where the options spare the request.
func (s *server) misbehave(ctx *fasthttp.RequestCtx, spec []byte) {
	kind, err := findMisbehaviour(string(spec))
	if err != nil {
		ctx.Error(err.Error()+"\n", fasthttp.StatusNotFound)
		return
	}
	options, err := parseMisbehaveOptions(ctx.QueryArgs(), kind)
	if err != nil {
		ctx.Error(err.Error()+"\n", fasthttp.StatusBadRequest)
		return
	}
	ctx.Response.SetBodyRaw(okBody)
	switch {
	case !options.concern(ctx.ConnRequestNum(), &s.asked[kind.index]):
	case kind.status != 0:
		ctx.SetStatusCode(kind.status)
	default:
		s.takeOver(ctx, kind, options.pace)
	}
}

// concern tells whether the options pick this request, the nth of its
// connection. asked counts the requests of this kind that a share decides on:
// of the first n of them exactly floor(n x share) are picked, evenly spread.
func (o misbehaveOptions) concern(nth uint64, asked *atomic.Uint64) bool {
	if nth <= o.after {
		return false
	}
	n := asked.Add(1)
	return n*o.share/shareUnit > (n-1)*o.share/shareUnit
}

// parseMisbehaveOptions reads the query. An unknown option is refused: ignoring
// it would answer otherwise than was asked.
func parseMisbehaveOptions(args *fasthttp.Args, kind misbehaviour) (misbehaveOptions, error) {
	options := misbehaveOptions{share: shareUnit, pace: defaultPace}
	for key, value := range args.All() {
		var err error
		switch text := string(value); string(key) {
		case "after":
			options.after, err = parseAfter(text)
		case "share":
			options.share, err = parseShare(text)
		case "every":
			options.pace, err = parsePace(text, kind)
		default:
			err = fmt.Errorf("fault option %q: expected after, share or every", key)
		}
		if err != nil {
			return misbehaveOptions{}, err
		}
	}
	return options, nil
}

func parseAfter(text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n > maxAfter {
		return 0, fmt.Errorf("fault after=%q: expected 0 to %d requests such as after=10", text, maxAfter)
	}
	return n, nil
}

func parseShare(text string) (millionths uint64, err error) {
	share, err := strconv.ParseFloat(text, 64)
	if err != nil || !(share >= 0 && share <= 1) { // so written, NaN fails
		return 0, fmt.Errorf("fault share=%q: expected 0 to 1 such as share=0.1", text)
	}
	return uint64(math.Round(share * shareUnit)), nil
}

func parsePace(text string, kind misbehaviour) (time.Duration, error) {
	if !kind.slow {
		return 0, fmt.Errorf("fault every=%q: only /fault/slow has it", text)
	}
	pace, err := time.ParseDuration(text)
	if err != nil || pace <= 0 || pace > maxPace {
		return 0, fmt.Errorf("fault every=%q: expected a duration above 0s, up to %s such as every=1ms", text, maxPace)
	}
	return pace, nil
}
