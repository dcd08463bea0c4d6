package deploy_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"codemode/gateway"
	"codemode/internal/natstest"
	"codemode/internal/workertest"
	"codemode/protocol"
	"codemode/subjects"
)

// runCell drives a cell that calls a tool and yields, from exec to its end.
func runCell(t *testing.T, nc *nats.Conn, tenant string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	var n subjects.Names
	runID := "cm_" + nuid.Next()
	replies, err := nc.SubscribeSync(n.ReplyFilter(tenant, runID))
	if err != nil {
		t.Fatal(err)
	}
	calls, err := nc.Subscribe(n.CallFilter(tenant, runID), func(msg *nats.Msg) {
		var c protocol.Call
		if err := json.Unmarshal(msg.Data, &c); err != nil {
			t.Error(err)
		}
		if err := msg.Respond([]byte(`{"v":1,"callId":"` + c.CallID + `","ok":true,"value":41}`)); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = calls.Unsubscribe() }()
	for _, job := range []struct{ kind, body, status string }{
		{"exec", `"input":{"code":"const v = await tools.a(); await yield_control(); return v + 1"},"catalog":{"inline":{"tools":[{"source":"openclaw","name":"a"}]}}`, `"status":"waiting"`},
		{"wait", `"x":0`, `"status":"completed","value":42`},
	} {
		data := `{"v":1,"runId":"` + runID + `","jobId":"` + job.kind + `","scope":{"sessionId":"s"},` + job.body + `}`
		if _, err := js.Publish(ctx, n.Job(protocol.JobKind(job.kind), tenant), []byte(data), jetstream.WithMsgID(tenant+"."+runID+"."+job.kind)); err != nil {
			t.Fatal(err)
		}
		msg, err := replies.NextMsgWithContext(ctx)
		if err != nil {
			t.Fatalf("no reply to %s: %v", job.kind, err)
		}
		var reply struct{ Result json.RawMessage }
		if err := json.Unmarshal(msg.Data, &reply); err != nil {
			t.Fatal(err)
		}
		if want := `{` + job.status; len(reply.Result) < len(want) || string(reply.Result[:len(want)]) != want {
			t.Fatalf("%s is answered by %s, want %s", job.kind, reply.Result, want)
		}
	}
}

func TestCellRunsOnTheConfiguration(t *testing.T) {
	url, _ := start(t, "nats.conf")
	workertest.Start(t, natstest.Connect(t, url), nil)
	runCell(t, natstest.Connect(t, url), "default")
}

// TestCellRunsWithUsers: the rights of the users are enough for a run that calls, parks, resumes and ends.
func TestCellRunsWithUsers(t *testing.T) {
	url := users(t)
	nc, workerDenied := client(t, url, "worker")
	workertest.Start(t, nc, nil)
	gateway, gatewayDenied := client(t, url, "acme")
	runCell(t, gateway, "acme")
	answer, err := gateway.Request("cm.svc.abort.acme", []byte(`{"sessionId":"s"}`), 10*time.Second)
	if err != nil || string(answer.Data) != `{"v":1,"aborted":[]}` {
		t.Errorf("abort is answered by %v, %v", answer, err)
	}
	select {
	case err := <-workerDenied:
		t.Errorf("worker: %v", err)
	case err := <-gatewayDenied:
		t.Errorf("gateway: %v", err)
	default:
	}
}

// TestGatewayClientWorksWithUsers: the rights of a gateway are enough for package gateway.
func TestGatewayClientWorksWithUsers(t *testing.T) {
	url := users(t)
	nc, workerDenied := client(t, url, "worker")
	workertest.Start(t, nc, nil)
	acme, gatewayDenied := client(t, url, "acme")
	c, err := gateway.New(acme, gateway.Options{Tenant: "acme"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := c.Serve(func(_ context.Context, call *gateway.Call) (any, error) {
		call.Accept() // so that the gateway stores the result itself
		return 41, nil
	}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := c.Run(ctx, gateway.Cell{Code: "const v = await tools.a(); await yield_control(); return v + 1", Catalog: &protocol.Catalog{Tools: []protocol.Tool{{Source: protocol.SourceOpenClaw, Name: "a"}}}})
	if err != nil || string(out.Result.Value) != "42" {
		t.Errorf("got %+v, %v", out, err)
	}
	select {
	case err := <-workerDenied:
		t.Errorf("worker: %v", err)
	case err := <-gatewayDenied:
		t.Errorf("gateway: %v", err)
	default:
	}
}
