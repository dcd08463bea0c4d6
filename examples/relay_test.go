package examples_test

import (
	"io"
	"net"
	"sync"
	"testing"
)

// relay passes TCP connections on to an address and can cut them.
type relay struct {
	listener net.Listener
	target   string
	work     sync.WaitGroup

	mu      sync.Mutex
	conns   []net.Conn
	count   int
	cutOnce sync.Once
}

func newRelay(t *testing.T, target string) *relay {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{listener: listener, target: target}
	r.work.Go(r.serve)
	t.Cleanup(func() {
		_ = listener.Close()
		r.closeAll()
		r.work.Wait()
	})
	return r
}

func (r *relay) addr() string { return r.listener.Addr().String() }

// accepted is the number of connections so far.
func (r *relay) accepted() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.count
}

// cut closes the connections there are, the first time it is called.
func (r *relay) cut() { r.cutOnce.Do(r.closeAll) }

func (r *relay) closeAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.conns {
		_ = c.Close()
	}
	r.conns = nil
}

func (r *relay) serve() {
	for {
		in, err := r.listener.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", r.target)
		if err != nil {
			_ = in.Close()
			continue
		}
		r.mu.Lock()
		r.conns = append(r.conns, in, out)
		r.count++
		r.mu.Unlock()
		for _, pair := range [][2]net.Conn{{in, out}, {out, in}} {
			r.work.Go(func() {
				_, _ = io.Copy(pair[0], pair[1])
				_ = pair[0].Close()
			})
		}
	}
}
