// Package tour is `loadgen tour`: what codemode does, shown step by step on two worker processes, each step
// with its figures and checked, so that the tour is a smoke test too.
package tour

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"sync"
	"time"

	"codemode/cmd/loadgen/internal/gatewaysim"
	"codemode/cmd/loadgen/internal/localpool"
	"codemode/protocol"
)

const usage = `Shows on this machine what codemode does, in under 20 seconds.

usage: loadgen tour [flags]

It starts a NATS server and two worker processes, plays a gateway to them, and
shows: tools called in parallel, an error in TypeScript that names its line, a
cell that is parked while a tool is slow, the loss of the worker that parked it,
and another worker going on with it. Every step checks what it shows. Nothing is
left behind, whether it ends by itself or by Ctrl-C.

Exit status: 0 all steps showed what they should, 1 one did not, 2 bad usage.

flags:
`

// What Run returns.
var (
	// ErrUsage is returned for arguments that make no sense.
	ErrUsage = errors.New("bad usage")
	// ErrStep is returned when a step does not show what it should; the text says which and what.
	ErrStep = errors.New("tour failed")
)

// tenant the tour plays as.
const tenant = "tour"

// replyTimeout is far beyond what any step takes.
const replyTimeout = 15 * time.Second

// ackWait is how long a job that the lost worker was given just before its end stands still.
const ackWait = "2s"

// Run runs the subcommand.
func Run(ctx context.Context, args []string, stdout, _ io.Writer) error {
	var bin string
	flags := flag.NewFlagSet("tour", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&bin, "worker-bin", "", "`path` of the worker program (default: worker beside this program)")
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		return nil
	case err != nil:
		return fmt.Errorf("%w: %w", ErrUsage, err)
	case flags.NArg() > 0:
		return fmt.Errorf("%w: unexpected argument %q", ErrUsage, flags.Arg(0))
	}
	if bin, err = localpool.FindWorker(bin); err != nil {
		return err
	}
	pool, err := localpool.Start(ctx, localpool.Options{WorkerBin: bin, Env: []string{"CODEMODE_ACK_WAIT=" + ackWait}})
	if err != nil {
		return err
	}
	err = guide(pool, newScreen(stdout))
	if closing := pool.Close(); err == nil {
		err = closing // after an error it says nothing more
	}
	return err
}

// tour is what the steps share.
type tour struct {
	*screen
	gateway *gatewaysim.Gateway
	desk    *desk
	workers map[string]*localpool.Worker // by id
	parked  parkedRun                    // set by stepPark
	began   time.Time
}

func guide(pool *localpool.Pool, out *screen) error {
	t := &tour{screen: out, desk: newDesk(), workers: map[string]*localpool.Worker{}, began: time.Now()}
	t.title("codemode tour", "a NATS server and two workers on this machine")
	if err := t.startWorkers(pool); err != nil {
		return err
	}
	ctx := pool.Context()
	var err error
	t.gateway, err = gatewaysim.Start(ctx, gatewaysim.Options{URL: pool.URL(), Tenant: tenant, Tools: t.tools()})
	if err != nil {
		return err
	}
	defer t.gateway.Close()
	for i, s := range []struct {
		name string
		play func(context.Context) error
	}{
		{"A cell searches the tools and calls three of them at the same time", t.stepParallel},
		{"An error in TypeScript names the line that the model wrote", t.stepTypeScript},
		{"A tool is slow: the cell is parked, and no worker holds it", t.stepPark},
		{"The worker that parked it is lost", t.stepKill},
		{"Another worker goes on with the cell", t.stepResume},
		{"What the parked cell took", t.stepBytes},
	} {
		t.heading(i+1, s.name)
		if err := s.play(ctx); err != nil {
			if lost := context.Cause(ctx); errors.Is(lost, localpool.ErrLost) {
				err = lost // whatever failed, failed for that
			}
			return fmt.Errorf("%w at step %d (%s): %w", ErrStep, i+1, s.name, err)
		}
		if t.err != nil {
			break
		}
	}
	t.paragraph(fmt.Sprintf("All six steps showed what they should, in %.1f s.", time.Since(t.began).Seconds()))
	return t.err
}

func (t *tour) startWorkers(pool *localpool.Pool) error {
	ids := []string{"worker-a", "worker-b"}
	var starting sync.WaitGroup
	workers, errs := make([]*localpool.Worker, len(ids)), make([]error, len(ids))
	for i, id := range ids {
		starting.Go(func() { workers[i], errs[i] = pool.StartWorker(id) })
	}
	starting.Wait()
	for i, w := range workers {
		if errs[i] != nil {
			return errs[i] // one is enough: the other fails for the same reason
		}
		t.workers[w.ID] = w
		t.figure(w.ID, "process %d", w.PID)
	}
	t.figure("ready after", "%s, NATS server and both workers", ms(time.Since(t.began)))
	return nil
}

var errNoAnswer = fmt.Errorf("no answer within %s", replyTimeout)

// limited bounds one exchange with the pool.
func limited(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, replyTimeout, errNoAnswer)
}

// reply is an answer with its reply.
type reply struct {
	protocol.Reply
	took time.Duration
}

// receive checks what is true of every reply here.
func (t *tour) receive(a gatewaysim.Answer, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	r, err := a.Reply()
	if err != nil {
		return reply{}, err
	}
	if t.workers[r.Worker] == nil {
		return reply{}, fmt.Errorf("the reply is by %q, which is none of the workers", r.Worker)
	}
	return reply{r, a.Took}, nil
}

// exec runs a cell and shows its source and its result.
func (t *tour) exec(ctx context.Context, run *gatewaysim.Run, cell gatewaysim.Cell) (reply, error) {
	t.source(cell.Code)
	ctx, cancel := limited(ctx)
	defer cancel()
	r, err := t.receive(run.Exec(ctx, cell))
	if err != nil {
		return r, err
	}
	return r, t.result(r.Result)
}
