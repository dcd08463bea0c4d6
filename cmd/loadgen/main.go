// Command loadgen plays a gateway: it sends cells to a pool of workers, answers their tool calls, and shows
// or measures what comes back.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"codemode/cmd/loadgen/internal/throughput"
	"codemode/cmd/loadgen/internal/tour"
)

const usage = `Plays a gateway to codemode workers.

usage: loadgen <command> [flags]

commands:
  tour        show on this machine what codemode does, in under 20 seconds
  throughput  measure how many cells a second a pool answers

loadgen <command> -h shows the flags of a command.

Exit status: 0 all went well, 1 something failed, 2 bad usage.
`

const (
	exitFine   = 0
	exitFailed = 1
	exitUsage  = 2
)

// errUsage marks arguments that name no command.
var errUsage = errors.New("bad usage")

var commands = map[string]func(ctx context.Context, args []string, stdout, stderr io.Writer) error{
	"tour":       tour.Run,
	"throughput": throughput.Run,
}

func main() {
	signal.Ignore(syscall.SIGPIPE) // "loadgen tour | head" has to be cleaned up after too
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // so that a second Ctrl-C ends it at once
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	name, err := dispatch(ctx, args, stdout, stderr)
	switch {
	case err == nil:
		return exitFine
	case ctx.Err() != nil:
		fmt.Fprintf(stderr, "%s: interrupted\n", name)
		return exitFailed
	case errors.Is(err, errUsage), errors.Is(err, throughput.ErrUsage), errors.Is(err, tour.ErrUsage):
		fmt.Fprintf(stderr, "%s: %s (-h shows the usage)\n", name, oneLine(err.Error()))
		return exitUsage
	default:
		fmt.Fprintf(stderr, "%s: %s\n", name, oneLine(err.Error()))
		return exitFailed
	}
}

// dispatch runs the command and gives the name its errors are printed under.
func dispatch(ctx context.Context, args []string, stdout, stderr io.Writer) (name string, err error) {
	if len(args) == 0 {
		return "loadgen", fmt.Errorf("%w: no command is given", errUsage)
	}
	switch args[0] {
	case "-h", "-help", "--help", "help":
		_, err := io.WriteString(stdout, usage)
		return "loadgen", err
	}
	command, ok := commands[args[0]]
	if !ok {
		return "loadgen", fmt.Errorf("%w: there is no command %q", errUsage, args[0])
	}
	return "loadgen " + args[0], command(ctx, args[1:], stdout, stderr)
}

// oneLine keeps a message on one line of a terminal.
func oneLine(s string) string {
	return strings.NewReplacer("\n", "; ", "\r", " ", "\x1b", " ").Replace(s)
}
