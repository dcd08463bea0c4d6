package vm

import (
	"context"
	"errors"
	"sync"
)

// pool keeps clean instances ready. An instance in it is byte for byte like a new one.
type pool struct {
	engine *Engine

	mu     sync.Mutex
	idle   []*instance // last in, first out: the warmest mapping is used next
	max    int
	closed bool
}

func newPool(e *Engine, limit int) *pool { return &pool{engine: e, max: limit} }

func (p *pool) get() (*instance, error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		in := p.idle[n-1]
		p.idle[n-1] = nil
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return in, nil
	}
	p.mu.Unlock()
	e := p.engine
	mem, err := e.base.allocate()
	if err != nil {
		return nil, runtimeUnavailable(err)
	}
	in, err := instantiate(context.Background(), e.rt, e.code, mem, e.ids)
	if err != nil {
		return nil, runtimeUnavailable(err)
	}
	in.sp.Set(e.sp)
	return in, nil
}

// put takes back an instance whose guest is idle. Only linear memory, the stack pointer, the fuel
// counter and the memory mark can have changed: the engine writes no table and has no other mutable global.
func (p *pool) put(in *instance) {
	if in.mem.grown() {
		p.discard(in)
		return
	}
	in.pages = in.mem.reset(in.pages)
	in.sp.Set(p.engine.sp)
	in.fuel.Set(0)
	in.oom.Set(0)
	p.mu.Lock()
	keep := !p.closed && len(p.idle) < p.max
	if keep {
		p.idle = append(p.idle, in)
	}
	p.mu.Unlock()
	if !keep {
		p.discard(in)
	}
}

// discard ends an instance. There is nothing to be done about a failure to close one.
func (p *pool) discard(in *instance) { _ = in.close() }

func (p *pool) close() error {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	var errs []error
	for _, in := range idle {
		errs = append(errs, in.close())
	}
	return errors.Join(errs...)
}
