package throughput

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"codemode/cmd/loadgen/internal/gatewaysim"
	"codemode/cmd/loadgen/internal/localpool"
)

// ErrUsage is returned by Run for arguments that make no sense.
var ErrUsage = errors.New("bad usage")

// ErrCellsFailed is returned by Run when not every cell completed. The report is printed all the same.
var ErrCellsFailed = errors.New("not all cells completed")

// Run runs the subcommand. Results go to stdout, progress to stderr. It returns ErrUsage, ErrCellsFailed or
// what kept it from measuring.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	s, err := parse(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUsage, err)
	}
	rep, err := s.measure(ctx, stderr)
	if err != nil {
		return err
	}
	if err := rep.print(stdout, s.json); err != nil {
		return fmt.Errorf("print report: %w", err)
	}
	if rep.Failed > 0 {
		return fmt.Errorf("%w: %d of %d failed", ErrCellsFailed, rep.Failed, rep.Cells)
	}
	return nil
}

// measure runs all cells, on a pool of its own where no address is given.
func (s settings) measure(ctx context.Context, progress io.Writer) (*report, error) {
	if s.url != "" {
		return s.drive(ctx, progress)
	}
	pool, err := s.startPool(ctx)
	if err != nil {
		return nil, err
	}
	s.url = pool.URL()
	s.embedded = true // told by the report, also where the flag was not given
	rep, err := s.drive(pool.Context(), progress)
	if closing := pool.Close(); err == nil {
		err = closing // after an error it says nothing more
	}
	return rep, err
}

func (s settings) startPool(ctx context.Context) (*localpool.Pool, error) {
	bin, err := localpool.FindWorker(s.workerBin)
	if err != nil {
		return nil, err
	}
	pool, err := localpool.Start(ctx, localpool.Options{WorkerBin: bin})
	if err != nil {
		return nil, err
	}
	if _, err := pool.StartWorker("worker-1"); err != nil {
		_ = pool.Close() // what it could say follows from the first error
		return nil, err
	}
	return pool, nil
}

func (s settings) drive(ctx context.Context, progress io.Writer) (*report, error) {
	g, err := gatewaysim.Start(ctx, gatewaysim.Options{URL: s.url, Tenant: s.tenant, Names: s.names, Tools: s.tools()})
	if err != nil {
		return nil, err
	}
	defer g.Close()
	if s.warmup > 0 {
		if _, err := s.loop(ctx, g, s.warmup, "warm-up", progress); err != nil {
			return nil, err
		}
	}
	m, err := s.loop(ctx, g, s.cells, "measuring", progress)
	if err != nil {
		return nil, err
	}
	return m.report(s, g.Conn().ConnectedServerVersion()), nil
}
