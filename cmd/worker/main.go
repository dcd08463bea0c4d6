// Command worker runs model-written cells for gateways that it meets on NATS. It is configured by CODEMODE_*
// variables alone; -h shows them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"codemode/cmd/worker/internal/config"
	"codemode/cmd/worker/internal/daemon"
)

//go:generate go test ./internal/config -run TestDocumentation -update

const (
	exitStopped = 0
	exitFailed  = 1
	exitConfig  = 2
)

const usage = `Runs code mode cells for gateways that it meets on NATS JetStream.

usage: worker [-embedded] [-version] [-h]

  -embedded  bring a NATS server along, as CODEMODE_EMBEDDED=true does
  -version   print the version
  -h         print this

SIGTERM or SIGINT lets cells come to an end and stops; a second one stops at once.
Exit status: 0 stopped as asked, 1 failed, 2 wrong configuration.

Everything else is set in the environment:

`

func main() {
	defer func() {
		if fault := recover(); fault != nil {
			fmt.Fprintf(os.Stderr, "worker: internal fault: %v\n%s", fault, debug.Stack())
			os.Exit(exitFailed)
		}
	}()
	os.Exit(run(os.Args[1:], os.Environ()))
}

func run(args, environ []string) int {
	flags, err := parse(args)
	switch {
	case err != nil:
		return refuse(exitConfig, err)
	case flags.help:
		return show(func(w io.Writer) error {
			if _, err := io.WriteString(w, usage); err != nil {
				return err
			}
			return config.WriteText(w)
		})
	case flags.version:
		return show(func(w io.Writer) error { _, err := fmt.Fprintln(w, "codemode worker", version()); return err })
	}
	if flags.embedded {
		environ = append(environ, "CODEMODE_EMBEDDED=true") // the last one wins
	}
	cfg, warnings, err := config.Load(environ)
	if err != nil {
		return refuse(exitConfig, err)
	}
	log := newLogger(os.Stderr, &cfg)
	for _, text := range warnings {
		log.Warn(text)
	}
	err = daemon.Run(signalled(log), daemon.Options{Config: cfg, Version: version(), Log: log, Terminal: terminal(os.Stdout)})
	var faults config.Faults
	switch {
	case errors.As(err, &faults):
		return refuse(exitConfig, faults)
	case err != nil:
		return refuse(exitFailed, err)
	}
	log.Info("stopped")
	return exitStopped
}

type flags struct{ embedded, version, help bool }

func parse(args []string) (f flags, err error) {
	set := flag.NewFlagSet("worker", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.BoolVar(&f.embedded, "embedded", false, "")
	set.BoolVar(&f.version, "version", false, "")
	err = set.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return flags{help: true}, nil
	case err != nil:
		return f, fmt.Errorf("%w; -h shows the usage", err)
	case set.NArg() > 0:
		return f, fmt.Errorf("unknown argument %q; -h shows the usage", set.Arg(0))
	}
	return f, nil
}

func show(write func(io.Writer) error) int {
	if err := write(os.Stdout); err != nil {
		return refuse(exitFailed, err)
	}
	return exitStopped
}

// refuse says why the process ends, on one line for each fault.
func refuse(code int, err error) int {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintf(os.Stderr, "worker: %s\n", line)
	}
	return code
}

// signalled ends with the first signal; a second one ends the process.
func signalled(log *slog.Logger) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() { // for as long as the process lives
		log.Info("stopping", "signal", (<-signals).String())
		cancel()
		<-signals
		fmt.Fprintln(os.Stderr, "worker: stopped at once by a second signal; cells that ran are run again by other workers")
		os.Exit(exitFailed)
	}()
	return ctx
}

func newLogger(w io.Writer, cfg *config.Config) *slog.Logger {
	opts := &slog.HandlerOptions{Level: cfg.Level()}
	if cfg.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}

// terminal gives the file if a person looks at it, nil if not.
func terminal(f *os.File) io.Writer {
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	return f
}

// release is set when a release is built: -ldflags "-X main.release=1.2.3".
var release string

// version is the release, or the commit that was built.
func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "0.0.0+" + s.Value[:min(12, len(s.Value))] // the micro service wants a semantic version
		}
	}
	return "0.0.0"
}
