// Package conformance plays a gateway of wire protocol 1 against any pool of
// workers that speaks it, and judges what comes back by cases in data form.
//
// It shares no code with the workers: it reads the wire by itself, so that a
// mistake in somebody's types is seen and not repeated. README.md describes the
// cases and what is judged in all of them.
package conformance

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// Options say where and how to play. Only Conn must be set.
type Options struct {
	// Conn stays open and is the caller's to close.
	Conn *nats.Conn
	// Tenant is the last token of the job subjects. Defaults to "default".
	Tenant string
	// Prefix begins every subject. Defaults to "cm".
	Prefix string
	// Concurrency is how many cases run at a time; the pool should have as many
	// free slots, and needs two. Defaults to 8.
	Concurrency int
	// Only chooses cases by name. Defaults to all.
	Only *regexp.Regexp
	// Log is told of each case that has ended, from many goroutines, in the manner
	// of testing.T's Logf. Defaults to nobody.
	Log func(format string, args ...any)
	// Done is handed each outcome as it is there, one at a time. Defaults to nobody.
	Done func(Outcome)
}

// Outcome is what became of one case.
type Outcome struct {
	Name     string
	Problems []string // what is wrong, at most 12; empty if the case passed
	Took     time.Duration
}

// Passed tells whether nothing was wrong.
func (o Outcome) Passed() bool { return len(o.Problems) == 0 }

// ErrOptions is returned for options that cannot be used.
var ErrOptions = errors.New("conformance options")

func (o Options) complete() (Options, error) {
	if o.Conn == nil {
		return o, fmt.Errorf("%w: no connection", ErrOptions)
	}
	if o.Tenant == "" {
		o.Tenant = "default"
	}
	if !tokenText.MatchString(o.Tenant) {
		return o, fmt.Errorf("%w: tenant %q is not 1 to 64 of A-Z a-z 0-9 _ -", ErrOptions, o.Tenant)
	}
	if o.Prefix == "" {
		o.Prefix = "cm"
	}
	for token := range strings.SplitSeq(o.Prefix, ".") {
		if !tokenText.MatchString(token) {
			return o, fmt.Errorf("%w: prefix %q has a token that is not 1 to 64 of A-Z a-z 0-9 _ -", ErrOptions, o.Prefix)
		}
	}
	if o.Concurrency <= 0 {
		o.Concurrency = 8
	}
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
	if o.Done == nil {
		o.Done = func(Outcome) {}
	}
	return o, nil
}

// Run plays the cases that Only chooses and returns their outcomes in the order
// of the cases. What a pool does wrong is in the outcomes. An error tells that
// the cases could not be played: ErrOptions, no subscription, or the end of ctx,
// which comes with the outcomes there are.
func Run(ctx context.Context, cases []Case, opts Options) ([]Outcome, error) {
	opts, err := opts.complete()
	if err != nil {
		return nil, err
	}
	gw, err := startGateway(ctx, opts)
	if err != nil {
		return nil, err
	}
	defer gw.stop()

	var chosen []*Case
	for i := range cases {
		if opts.Only == nil || opts.Only.MatchString(cases[i].Name) {
			chosen = append(chosen, &cases[i])
		}
	}
	outcomes := make([]Outcome, len(chosen))
	var (
		next  atomic.Int64
		lanes sync.WaitGroup
		done  sync.Mutex
	)
	for range min(opts.Concurrency, len(chosen)) {
		lanes.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(chosen) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				began := time.Now()
				problems := playCase(ctx, gw, chosen[i])
				o := Outcome{Name: chosen[i].Name, Problems: problems, Took: time.Since(began)}
				outcomes[i] = o
				opts.Log("%s: %d problems, %v", o.Name, len(o.Problems), o.Took.Round(time.Millisecond))
				done.Lock()
				opts.Done(o)
				done.Unlock()
			}
		})
	}
	lanes.Wait()
	if ctx.Err() != nil {
		return finished(outcomes), context.Cause(ctx)
	}
	return outcomes, nil
}

// finished leaves out the cases that were never begun.
func finished(outcomes []Outcome) []Outcome {
	var out []Outcome
	for _, o := range outcomes {
		if o.Name != "" {
			out = append(out, o)
		}
	}
	return out
}
