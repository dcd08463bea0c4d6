package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
)

var rows = []struct{ name, what string }{
	{"return", "return 1 + 1"},
	{"thread", "the same, a thread for each cell"},
	{"call", "310-byte cell, one settled call"},
	{"loop", "200,000 loops over an array"},
	{"suspend", "suspend to bytes"},
	{"store", "the same, compressed"},
	{"resume", "resume from bytes"},
	{"load", "the same, from compressed ones"},
}

func report(w io.Writer, ours, theirs *sample, before, after string) {
	fmt.Fprintf(w, "machine: %s, %d of its processors, %s/%s; load average %s before, %s after\n", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, before, after)
	fmt.Fprintf(w, "package vm on wazero, %s; quickjs-wasi %s on Node %s (V8 %s)\n", ours.Versions["go"],
		theirs.Versions["quickjsWasi"], theirs.Versions["node"], theirs.Versions["v8"])
	fmt.Fprintf(w, "medians in ms; ratio: quickjs-wasi on Node by package vm, above 1 where package vm is faster\n\n")
	fmt.Fprintf(w, "%-34s %6s %10s %12s %8s\n", "", "n", "vm", "quickjs-wasi", "ratio")
	for _, r := range rows {
		a, b := median(ours.Times[r.name]), median(theirs.Times[r.name])
		fmt.Fprintf(w, "%-34s %6d %10.3f %12.3f %8.1f\n", r.what, len(theirs.Times[r.name]), a, b, b/a)
	}
	fmt.Fprintf(w, "\nbytes of the state: vm %d; quickjs-wasi %d, %d compressed\n", ours.Bytes["store"], theirs.Bytes["suspend"], theirs.Bytes["store"])
}

func median(times []float64) float64 {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// processor is the processor's name where the system tells it.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

// loadAverage is that of the last minute: other work on the machine makes the figures worth less.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	one, _, _ := strings.Cut(string(text), " ")
	return one
}
