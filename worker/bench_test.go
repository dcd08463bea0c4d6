package worker_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"codemode/internal/natstest"
	"codemode/protocol"
)

// BenchmarkJob measures publish to reply over a NATS server with file storage in the same process.
func BenchmarkJob(b *testing.B) {
	url := natstest.Server(b)
	startWorker(b, url, nil)
	g := newGateway(b, url, func(c protocol.Call) []byte { return okResult(c.CallID, 41) })
	b.Run("return", func(b *testing.B) {
		for b.Loop() {
			g.exec("return 1 + 1", nil)
		}
	})
	b.Run("call", func(b *testing.B) {
		for b.Loop() {
			g.exec("return await tools.a({ n: 1 }) + 1", map[string]any{"catalog": oneTool})
		}
	})
	b.Run("park-and-resume", func(b *testing.B) {
		for b.Loop() {
			r := g.exec("await yield_control(); return 1", nil)
			g.wait(r.RunID)
		}
	})
	b.Run("return-16-in-flight", func(b *testing.B) {
		jobs := make([][]byte, b.N)
		slots := make(chan struct{}, 16)
		done := make(chan struct{}, b.N)
		nc := natstest.Connect(b, url)
		js, err := jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(64))
		if err != nil {
			b.Fatal(err)
		}
		sub, err := nc.Subscribe("cm.run.bench.*.reply.*", func(*nats.Msg) { <-slots; done <- struct{}{} })
		if err != nil {
			b.Fatal(err)
		}
		for i := range jobs {
			if jobs[i], err = json.Marshal(map[string]any{"v": 1, "runId": "cm_" + nuid.Next(), "jobId": "j", "scope": map[string]any{}, "input": map[string]any{"code": "return 1 + 1"}}); err != nil {
				b.Fatal(err)
			}
		}
		b.ResetTimer()
		for i, job := range jobs {
			slots <- struct{}{}
			if _, err := js.PublishAsync(g.names.Job(protocol.JobExec, "bench"), job, jetstream.WithMsgID(fmt.Sprint(b.N, "-", i, "-", nuid.Next()))); err != nil {
				b.Fatal(err)
			}
		}
		for range jobs {
			<-done
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cells/s")
		if err := sub.Unsubscribe(); err != nil {
			b.Fatal(err)
		}
	})
}
