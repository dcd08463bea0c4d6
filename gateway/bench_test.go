package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"codemode/gateway"
	"codemode/internal/natstest"
	"codemode/protocol"
	"codemode/subjects"
)

var oneCall = `return await tools.callValue("openclaw:core:a", {x: 1})`

// rawGateway is what a gateway costs that does nothing but speak the protocol.
type rawGateway struct {
	nc      *nats.Conn
	js      jetstream.JetStream
	tenant  string
	ref     string
	replies sync.Map // job id to chan []byte
}

func newRaw(b *testing.B, r *rig, tenant, ref string) *rawGateway {
	g := &rawGateway{nc: natstest.Connect(b, r.url), tenant: tenant, ref: ref}
	g.js = jetStream(b, g.nc)
	if _, err := g.nc.Subscribe("cm.run."+tenant+".*.call.*", func(msg *nats.Msg) {
		var call protocol.Call
		if err := json.Unmarshal(msg.Data, &call); err != nil {
			b.Error(err)
		}
		answer, err := protocol.Marshal(protocol.CallResult{V: 1, CallID: call.CallID, OK: true, Value: call.Input})
		if err != nil {
			b.Error(err)
		}
		if err := msg.Respond(answer); err != nil {
			b.Error(err)
		}
	}); err != nil {
		b.Fatal(err)
	}
	if _, err := g.nc.Subscribe("cm.run."+tenant+".*.reply.*", func(msg *nats.Msg) {
		var reply protocol.Reply
		if err := json.Unmarshal(msg.Data, &reply); err != nil {
			b.Error(err)
		}
		if ch, ok := g.replies.Load(reply.JobID); ok {
			ch.(chan protocol.Reply) <- reply
		}
	}); err != nil {
		b.Fatal(err)
	}
	return g
}

func (g *rawGateway) exec(ctx context.Context) error {
	job := protocol.Job{V: 1, RunID: gateway.NewRunID(), JobID: gateway.NewJobID(), Catalog: &protocol.CatalogSource{Ref: g.ref}}
	var err error
	if job.Input, err = protocol.Marshal(map[string]string{"code": oneCall}); err != nil {
		return err
	}
	data, err := protocol.Marshal(job)
	if err != nil {
		return err
	}
	ch := make(chan protocol.Reply, 1)
	g.replies.Store(job.JobID, ch)
	defer g.replies.Delete(job.JobID)
	if _, err := g.js.Publish(ctx, "cm.job.exec."+g.tenant, data, jetstream.WithMsgID(g.tenant+"."+job.RunID+"."+job.JobID)); err != nil {
		return err
	}
	if reply := <-ch; reply.Result.Status != protocol.StatusCompleted {
		return fmt.Errorf("%+v", reply.Result)
	}
	return nil
}

// BenchmarkOneCall is a cell with one call that is answered at once: by the bare protocol, by a client, and by a client
// with the ledger, each as a tenant of its own. They take turns, so that they meet the same machine, and what is told
// is the median of each.
func BenchmarkOneCall(b *testing.B) {
	r := newRig(b).worker()
	ctx := context.Background()
	kinds := []string{"raw", "client", "ledger"}
	exec := map[string]func() error{}
	for _, kind := range kinds {
		opt := gateway.Options{Tenant: kind}
		if kind == "ledger" {
			opt.Guard = once
		}
		c := r.client(opt)
		ref, err := c.PutCatalog(ctx, *tools("a"))
		if err != nil {
			b.Fatal(err)
		}
		if kind == "raw" {
			g := newRaw(b, r, kind, ref)
			exec[kind] = func() error { return g.exec(ctx) }
			continue
		}
		if err := c.Serve(echo); err != nil {
			b.Fatal(err)
		}
		exec[kind] = func() error {
			reply, err := c.Exec(ctx, gateway.Cell{Code: oneCall, CatalogRef: ref})
			if err == nil && reply.Result.Status != protocol.StatusCompleted {
				err = fmt.Errorf("%+v", reply.Result)
			}
			return err
		}
	}
	took := map[string][]time.Duration{}
	for b.Loop() {
		for _, kind := range kinds {
			began := time.Now()
			if err := exec[kind](); err != nil {
				b.Fatal(err)
			}
			took[kind] = append(took[kind], time.Since(began))
		}
	}
	for _, kind := range kinds {
		slices.Sort(took[kind])
		b.ReportMetric(float64(took[kind][len(took[kind])/2].Microseconds()), kind+"-µs")
	}
}

// BenchmarkCall is one call without a worker around it: what the ledger adds.
func BenchmarkCall(b *testing.B) {
	for name, opt := range map[string]gateway.Options{"none": {}, "ledger": {Guard: once}} {
		b.Run(name, func(b *testing.B) {
			r := newRig(b)
			ctx := context.Background()
			ensure(ctx, b, r.nc)
			r.serve(opt, echo)
			run := gateway.NewRunID()
			n := 0
			for b.Loop() {
				n++
				if _, _, err := r.send(ctx, run, n, "a", `{"x":1}`); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkWaiting is a cell whose call takes 300 ms, with legs of 100 ms: driven by polling every 50 ms, as a gateway
// does that waits for the model to ask, and by Run. What counts is waits/op, each of which is a model's turn, and late-ms,
// from the result until the run's end.
func BenchmarkWaiting(b *testing.B) {
	r := newRig(b).worker()
	var stored atomic.Int64
	c := r.serve(gateway.Options{}, func(_ context.Context, call *gateway.Call) (any, error) {
		call.Accept()
		time.Sleep(300 * time.Millisecond)
		stored.Store(time.Now().UnixNano())
		return 1, nil
	})
	job := cell(`return await tools.callValue("a")`, "a")
	job.Config = json.RawMessage(`{"enabled":true,"timeoutMs":100}`)
	poll := func(ctx context.Context) (waits int, err error) {
		job := job
		job.RunID = gateway.NewRunID()
		reply, err := c.Exec(ctx, job)
		for err == nil && reply.Result.Status == protocol.StatusWaiting {
			time.Sleep(50 * time.Millisecond)
			waits++
			reply, err = c.Wait(ctx, gateway.WaitFor{RunID: job.RunID, Scope: job.Scope})
		}
		return waits, err
	}
	run := func(ctx context.Context) (int, error) {
		out, err := c.Run(ctx, job)
		if err != nil {
			return 0, err
		}
		return out.Waits, nil
	}
	for name, drive := range map[string]func(context.Context) (int, error){"poll": poll, "run": run} {
		b.Run(name, func(b *testing.B) {
			waits, late := 0, time.Duration(0)
			for b.Loop() {
				n, err := drive(context.Background())
				if err != nil {
					b.Fatal(err)
				}
				waits += n
				late += time.Since(time.Unix(0, stored.Load()))
			}
			b.ReportMetric(float64(waits)/float64(b.N), "waits/op")
			b.ReportMetric(float64(late.Microseconds())/1000/float64(b.N), "late-ms")
		})
	}
}

// BenchmarkRunsInFlight is 10,000 runs that wait for their replies in one client.
func BenchmarkRunsInFlight(b *testing.B) {
	const runs = 10_000
	for b.Loop() {
		r := newRig(b)
		ctx := context.Background()
		ensure(ctx, b, r.nc)
		c := r.client(gateway.Options{StartTimeout: time.Hour})
		jobs := make(chan *nats.Msg, runs)
		if _, err := r.nc.ChanSubscribe("cm.job.exec."+tenant, jobs); err != nil {
			b.Fatal(err)
		}
		if err := r.nc.Flush(); err != nil {
			b.Fatal(err)
		}
		before := heap()
		var waiting sync.WaitGroup
		gate := make(chan struct{}, 64) // publishes at a time, so that none runs into its limit
		var ids []protocol.Job
		for range runs {
			waiting.Go(func() {
				gate <- struct{}{}
				if _, err := c.Exec(ctx, gateway.Cell{Code: "return 1"}); err != nil {
					b.Error(err)
				}
			})
		}
		for range runs {
			msg := <-jobs
			<-gate
			job, err := protocol.DecodeJob(protocol.JobExec, msg.Data)
			if err != nil {
				b.Fatal(err)
			}
			ids = append(ids, protocol.Job{RunID: job.RunID, JobID: job.JobID})
		}
		used := heap() - before
		b.ReportMetric(float64(used)/runs, "heap-B/run")
		b.ReportMetric(float64(runtime.NumGoroutine()), "goroutines")
		var names subjects.Names
		for _, job := range ids {
			reply, err := protocol.Marshal(protocol.Reply{V: 1, Tenant: tenant, RunID: job.RunID, JobID: job.JobID, Attempt: 1,
				Result: protocol.Result{Status: protocol.StatusCompleted, Telemetry: protocol.NewTelemetry(1)}})
			if err != nil {
				b.Fatal(err)
			}
			if err := r.nc.Publish(names.Reply(tenant, job.RunID, job.JobID), reply); err != nil {
				b.Fatal(err)
			}
		}
		waiting.Wait()
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}
