package gateway_test

import (
	"context"
	"strings"
	"testing"

	"codemode/gateway"
	"codemode/internal/natsembed"
)

// restartable is a server that can be away for a while.
type restartable struct {
	t    *testing.T
	opts natsembed.Options
	srv  *natsembed.Server
}

func newRestartable(t *testing.T) *restartable {
	t.Helper()
	s := &restartable{t: t, opts: natsembed.Options{StoreDir: t.TempDir()}}
	s.start()
	s.opts.Addr = strings.TrimPrefix(s.srv.URL(), "nats://")
	t.Cleanup(func() { s.srv.Shutdown() })
	return s
}

func (s *restartable) start() {
	s.t.Helper()
	var err error
	if s.srv, err = natsembed.Start(s.opts); err != nil {
		s.t.Fatal(err)
	}
}

// TestServerIsGone takes the server away in each phase of a run, for gateway and worker alike, and brings it back.
func TestServerIsGone(t *testing.T) {
	t.Parallel()
	for _, phase := range []string{"before the job", "during the call", "during an accepted call", "while parked"} {
		for _, guarded := range []bool{false, true} {
			name := phase
			if guarded {
				name += ", guarded"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				ctx, s := patience(t), newRestartable(t)
				r := newRigAt(t, s.srv.URL()).worker()
				opt := gateway.Options{}
				if guarded {
					opt.Guard = once
				}
				entered, release, calls := make(chan struct{}, 8), make(chan struct{}), 0
				c := r.serve(opt, func(_ context.Context, call *gateway.Call) (any, error) {
					calls++
					if phase != "during the call" {
						call.Accept()
					}
					entered <- struct{}{}
					<-release
					return "ok", nil
				})
				job := cell(`return await tools.callValue("a")`, "a")
				job.RunID, job.Config = gateway.NewRunID(), []byte(`{"enabled":true,"timeoutMs":1500}`)
				if phase == "before the job" {
					s.srv.Shutdown()
				}
				type end struct {
					out *gateway.Outcome
					err error
				}
				ends := make(chan end, 1)
				go func() {
					out, err := c.Run(ctx, job)
					ends <- end{out, err}
				}()
				switch phase {
				case "before the job":
					s.start()
					<-entered
				case "while parked":
					<-entered
					for {
						if st, err := c.Status(ctx, job.RunID); err == nil && st.State == "waiting" {
							break
						}
					}
					s.srv.Shutdown()
					close(release)
					s.start()
				default:
					<-entered
					s.srv.Shutdown()
					close(release)
					s.start()
				}
				if phase == "before the job" {
					close(release)
				}
				e := <-ends
				if e.err != nil {
					t.Fatal(e.err)
				}
				wantValue(t, e.out.Result, `"ok"`)
				if calls != 1 {
					t.Errorf("executed %d times", calls)
				}
			})
		}
	}
}
