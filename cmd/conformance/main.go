// Command conformance plays conformance cases of the wire protocol against a
// pool of workers that is reached through NATS.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"

	"codemode/conformance"
)

const usage = `Plays a gateway of wire protocol 1 against a pool of workers and judges what comes back.

usage: conformance [flags] [FILE or FOLDER]...

Without files the cases that are built in are played. The pool must have the
streams and buckets of the protocol and at least two free slots.

One line is printed for each case that fails, then "N passed, N failed".
Exit status: 0 all passed, 1 some failed, 2 bad usage, unreadable cases or no server.

flags:
`

const (
	exitPassed = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

type settings struct {
	url  string
	json bool
	opts conformance.Options
	args []string
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	s, err := parse(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return exitPassed
	}
	if err != nil {
		return refuse(stderr, err)
	}
	cases, err := load(s.args)
	if err != nil {
		return refuse(stderr, err)
	}
	conn, err := nats.Connect(s.url, nats.Name("codemode-conformance"), nats.Timeout(5*time.Second))
	if err != nil {
		return refuse(stderr, fmt.Errorf("cannot reach %s: %w", s.url, err))
	}
	defer conn.Close()
	s.opts.Conn = conn
	if !s.json {
		s.opts.Done = func(o conformance.Outcome) {
			if !o.Passed() {
				fmt.Fprintf(stdout, "FAIL %s: %s\n", o.Name, line(strings.Join(o.Problems, " | ")))
			}
		}
	}
	outcomes, err := conformance.Run(ctx, cases, s.opts)
	if err != nil {
		return refuse(stderr, err)
	}
	return summarize(outcomes, s.json, stdout, stderr)
}

func parse(args []string, help io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&s.url, "url", nats.DefaultURL, "`address` of the NATS server, with user and password where it wants them")
	flags.StringVar(&s.opts.Tenant, "tenant", "default", "`token` of the tenant to play as")
	flags.StringVar(&s.opts.Prefix, "prefix", "cm", "`tokens` that begin every subject")
	flags.IntVar(&s.opts.Concurrency, "concurrency", 8, "`number` of cases that run at a time")
	flags.BoolVar(&s.json, "json", false, "print all outcomes as a JSON array, and the count on standard error")
	flags.Func("only", "play the cases whose name matches this `regex`", func(text string) (err error) {
		s.opts.Only, err = regexp.Compile(text)
		return err
	})
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(help, usage)
		flags.SetOutput(help)
		flags.PrintDefaults()
		return s, err
	case err != nil:
		return s, fmt.Errorf("%w (-h shows the usage)", err)
	case s.opts.Concurrency < 1:
		return s, errors.New("--concurrency must be at least 1 (-h shows the usage)")
	}
	s.args = flags.Args()
	return s, nil
}

func load(paths []string) ([]conformance.Case, error) {
	if len(paths) == 0 {
		return conformance.Embedded()
	}
	return conformance.Load(paths...)
}

// refuse says on one line why nothing was judged.
func refuse(stderr io.Writer, err error) int {
	fmt.Fprintf(stderr, "conformance: %s\n", line(err.Error()))
	return exitUsage
}

// line keeps a text on one line of a terminal.
func line(s string) string {
	return strings.NewReplacer("\n", `\n`, "\r", `\r`, "\x1b", `\x1b`).Replace(s)
}

type row struct {
	Name     string   `json:"name"`
	Pass     bool     `json:"pass"`
	Ms       int64    `json:"ms"`
	Problems []string `json:"problems"`
}

func summarize(outcomes []conformance.Outcome, asJSON bool, stdout, stderr io.Writer) int {
	rows := make([]row, len(outcomes))
	passed := 0
	for i, o := range outcomes {
		rows[i] = row{o.Name, o.Passed(), o.Took.Milliseconds(), append([]string{}, o.Problems...)}
		if o.Passed() {
			passed++
		}
	}
	count := stdout
	if asJSON {
		count = stderr
		enc := json.NewEncoder(stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", " ")
		if err := enc.Encode(rows); err != nil {
			return refuse(stderr, fmt.Errorf("print outcomes: %w", err))
		}
	}
	fmt.Fprintf(count, "%d passed, %d failed\n", passed, len(rows)-passed)
	if passed < len(rows) || len(rows) == 0 {
		return exitFailed
	}
	return exitPassed
}
