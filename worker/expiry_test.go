package worker_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"codemode/internal/natstest"
	"codemode/protocol"
	"codemode/worker"
)

// TestExpiredRunIsTold: a parked run that nobody resumes in time is told of once, by one of the workers,
// with its scope and the next number (protocol 6).
func TestExpiredRunIsTold(t *testing.T) {
	t.Parallel()
	url := natstest.Server(t)
	startWorker(t, url, func(o *worker.Options) { o.ID = "first" })
	startWorker(t, url, func(o *worker.Options) { o.ID = "second" })
	g := newGateway(t, url, nil)
	events := make(chan protocol.Event, 64)
	g.subscribe(g.names.EventFilter(tenant, "*"), func(msg *nats.Msg) {
		var e protocol.Event
		if err := json.Unmarshal(msg.Data, &e); err != nil {
			t.Error(err)
		}
		events <- e
	})
	r := g.exec("await yield_control()", map[string]any{"config": map[string]any{"enabled": true, "snapshotTtlSeconds": 1}})
	if r.Result.Status != protocol.StatusWaiting {
		t.Fatalf("got %+v", r.Result)
	}
	last, timeout := 0, time.After(30*time.Second)
	for {
		select {
		case e := <-events:
			if e.Kind != protocol.EventExpired {
				last = e.Seq
				continue
			}
			if e.RunID != r.RunID || e.Seq != last+1 || e.Scope.SessionID != "s1" {
				t.Errorf("got %+v behind event %d", e, last)
			}
			mustFail(t, g.wait(r.RunID), protocol.DetailSnapshotExpired, "code mode run is unavailable or expired.")
			return
		case <-timeout:
			t.Fatal("the expiry was not told")
		}
	}
}
