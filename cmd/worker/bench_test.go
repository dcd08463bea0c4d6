package main_test

import (
	"syscall"
	"testing"
)

// BenchmarkStart is from the start of the process until it is ready, with a server of its own and the engine
// compiled before.
func BenchmarkStart(b *testing.B) {
	env := []string{"CODEMODE_EMBEDDED_ADDR=127.0.0.1:0"}
	first := start(b, env, "-embedded")
	first.ready("url")
	stop(first)
	for b.Loop() {
		p := start(b, env, "-embedded")
		p.ready("url")
		b.StopTimer()
		stop(p)
		b.StartTimer()
	}
}

func stop(p *process) {
	p.signal(syscall.SIGTERM)
	p.fails(0)
}
