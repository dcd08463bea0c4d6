// Command bench runs the same cells in package vm and in quickjs-wasi on Node, in turns, and prints the
// medians side by side with their ratio. It is started by bench/run.sh, which fetches the Node package.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
)

func main() {
	node := flag.String("node", "node", "the Node program")
	script := flag.String("script", "bench/node/bench.js", "the script that it runs")
	rounds := flag.Int("rounds", 3, "how often each side has its turn")
	flag.Parse()
	if err := run(context.Background(), *node, *script, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, node, script string, rounds int) error {
	ours, theirs := newSample(), newSample()
	before := loadAverage()
	for range rounds {
		if err := measureVM(ctx, ours); err != nil {
			return err
		}
		if err := measureNode(ctx, node, script, theirs); err != nil {
			return err
		}
	}
	report(os.Stdout, ours, theirs, before, loadAverage())
	return nil
}
