// Package throughput is `loadgen throughput`: it keeps a number of cells in flight and tells how many a
// second a pool of workers answers, and how long each takes.
package throughput

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"codemode/cmd/loadgen/internal/gatewaysim"
	"codemode/protocol"
	"codemode/subjects"
)

const usage = `Measures how many cells a second a pool answers, and how long each takes.

usage: loadgen throughput [flags]

Without --url it starts a NATS server and a worker for the time it runs; with
--url it needs a pool that is already there. It keeps --concurrency cells in
flight, each a run of its own, and answers their tool calls itself. A latency is
the time from before a job is published until its reply is there; a cell that
parks is waited for, and counts until its last reply.

A cell of one's own can call the tool echo, which gives its input back after
--tool-latency; a file ending in .ts is TypeScript. Of the CODEMODE_* variables
in the environment, the worker that is started is given those that tune it:
EXEC_SLOTS, WAIT_SLOTS, CATALOG_CACHE_BYTES, OUTPUT_EVENTS and CACHE_DIR.

Exit status: 0 all cells completed, 1 some failed or it could not be measured,
2 bad usage.

flags:
`

// The largest --calls: what is pending at a time cannot be more (contract 2.2).
const maxCalls = 128

const (
	maxCells       = 100_000_000
	maxConcurrency = 10_000
	maxCodeBytes   = 1 << 20
)

// settings are what the flags say.
type settings struct {
	url         string // "" to start a pool
	embedded    bool
	tenant      string
	names       subjects.Names
	workerBin   string
	cells       int
	concurrency int
	warmup      int
	calls       int
	toolLatency time.Duration
	json        bool

	cell gatewaysim.Cell
	want string // JSON text of the value each cell must have, "" for any
}

// parse reads the flags. It returns flag.ErrHelp after printing the help to out.
func parse(args []string, out io.Writer) (settings, error) {
	var s settings
	var prefix, code string
	flags := flag.NewFlagSet("throughput", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&s.url, "url", "", "`address` of a NATS server with workers, with user and password where it wants them")
	flags.BoolVar(&s.embedded, "embedded", false, "start a NATS server and a worker; what is done anyway without --url")
	flags.StringVar(&s.workerBin, "worker-bin", "", "`path` of the worker program to start (default: worker beside this program)")
	flags.StringVar(&s.tenant, "tenant", "default", "`token` of the tenant to play as")
	flags.StringVar(&prefix, "prefix", subjects.DefaultPrefix, "`tokens` that begin every subject")
	flags.IntVar(&s.cells, "cells", 2000, "`number` of cells to measure")
	flags.IntVar(&s.concurrency, "concurrency", 16, "`number` of cells in flight")
	flags.IntVar(&s.warmup, "warmup", 200, "`number` of cells to run before measuring")
	flags.IntVar(&s.calls, "calls", 0, "`number` of parallel tool calls a cell makes; with 0 it is `return 1 + 1`")
	flags.DurationVar(&s.toolLatency, "tool-latency", 0, "`time` the tool takes; with 0 it answers at once")
	flags.StringVar(&code, "code", "", "`file` with a cell to run in place of the made one")
	flags.BoolVar(&s.json, "json", false, "print the result as a JSON object")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(out, usage)
		flags.SetOutput(out)
		flags.PrintDefaults()
		return s, err
	}
	if err != nil {
		return s, err
	}
	switch {
	case flags.NArg() > 0:
		return s, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case s.url != "" && s.embedded:
		return s, errors.New("--url and --embedded exclude each other")
	case s.url != "" && s.workerBin != "":
		return s, errors.New("--worker-bin is for a pool that is started here, not for --url")
	case s.url == "" && prefix != subjects.DefaultPrefix:
		return s, errors.New("--prefix is for a pool that is already there, with --url")
	case code != "" && s.calls != 0:
		return s, errors.New("--calls is for the made cell, not for --code")
	case s.toolLatency < 0:
		return s, errors.New("--tool-latency must not be negative")
	case !protocol.ValidTenant(s.tenant):
		return s, fmt.Errorf("--tenant %q is not 1 to 64 of A-Za-z0-9_-", s.tenant)
	}
	if err := s.checkNumbers(); err != nil {
		return s, err
	}
	if s.names, err = subjects.New(prefix); err != nil {
		return s, fmt.Errorf("--prefix: %w", err)
	}
	return s, s.chooseCell(code)
}

func (s *settings) checkNumbers() error {
	for _, n := range []struct {
		flag           string
		value, lo, top int
	}{
		{"--cells", s.cells, 1, maxCells},
		{"--concurrency", s.concurrency, 1, maxConcurrency},
		{"--warmup", s.warmup, 0, maxCells},
		{"--calls", s.calls, 0, maxCalls},
	} {
		if n.value < n.lo || n.value > n.top {
			return fmt.Errorf("%s is %d, want %d to %d", n.flag, n.value, n.lo, n.top)
		}
	}
	return nil
}

// chooseCell makes the cell, or reads it.
func (s *settings) chooseCell(file string) error {
	switch {
	case file != "":
		return s.readCell(file)
	case s.calls == 0:
		s.cell.Code, s.want = "return 1 + 1", "2"
	default:
		s.cell.Code = fmt.Sprintf("const calls = [];\nfor (let n = 0; n < %d; n++) calls.push(tools.echo({ n }));\nreturn (await Promise.all(calls)).length;", s.calls)
		s.cell.Config = fmt.Appendf(nil, `{"enabled":true,"maxPendingToolCalls":%d}`, maxCalls)
		s.want = fmt.Sprint(s.calls)
	}
	return nil
}

func (s *settings) readCell(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("--code: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxCodeBytes+1))
	switch {
	case err != nil:
		return fmt.Errorf("--code: %w", err)
	case len(text) > maxCodeBytes:
		return fmt.Errorf("--code: %s is larger than %d bytes", file, maxCodeBytes)
	case strings.TrimSpace(string(text)) == "":
		return fmt.Errorf("--code: %s is empty", file)
	}
	s.cell.Code = string(text)
	if filepath.Ext(file) == ".ts" {
		s.cell.Language = protocol.TypeScript
	}
	return nil
}

// tools are the catalogue of the cells: none where the cell can call none, so that the bare path is measured.
func (s *settings) tools() []gatewaysim.Tool {
	if s.want != "" && s.calls == 0 {
		return nil
	}
	return []gatewaysim.Tool{echo(s.toolLatency)}
}
