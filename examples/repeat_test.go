package examples_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"codemode/internal/natstest"
	"codemode/protocol"
	"codemode/subjects"
)

// TestGatewaysExecuteACallOnce sends two calls with one callId while a gateway is busy with its own slow one. Their
// inputs differ, so that one can see which was executed.
func TestGatewaysExecuteACallOnce(t *testing.T) {
	t.Parallel()
	var names subjects.Names
	addr := pool(t)
	asWorker := natstest.Connect(t, "nats://"+addr, nats.UserInfo("worker", "w"), nats.CustomInboxPrefix("_INBOX.worker"))
	asGateway := natstest.Connect(t, "nats://"+addr, nats.UserInfo("acme", "a"), nats.CustomInboxPrefix("_INBOX.acme"))
	for name := range programs {
		t.Run(name, func(t *testing.T) { // one after the other: each has to see the event of its own run
			done := make(chan error, 1)
			sub, err := asGateway.Subscribe(names.EventFilter(tenant, subjects.Any), func(msg *nats.Msg) {
				var event protocol.Event
				if err := json.Unmarshal(msg.Data, &event); err != nil || event.Kind == protocol.EventCall {
					done <- sendTwice(asWorker, names, event.RunID)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := asGateway.Flush(); err != nil {
				t.Fatal(err)
			}
			run(t, name, addr, "slow")
			select {
			case err := <-done:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(time.Minute):
				t.Error("no call was sent")
			}
			if err := sub.Unsubscribe(); err != nil {
				t.Error(err)
			}
		})
	}
}

// sendTwice calls the tool charge as a worker does, and again with a higher attempt.
func sendTwice(nc *nats.Conn, names subjects.Names, runID string) error {
	const callID = "call-1-0a1b2c3d"
	for i, input := range []string{`{"amount":10}`, `{"amount":20}`} {
		call, err := protocol.Marshal(protocol.Call{
			V: protocol.Version, Tenant: tenant, RunID: runID, CallID: callID, ID: "bridge:call:1", Method: protocol.MethodCall,
			Attempt: i + 1, ToolID: "openclaw:core:charge", ToolName: "charge", Input: json.RawMessage(input),
		})
		if err != nil {
			return err
		}
		answer, err := nc.Request(names.Call(tenant, runID, callID), call, time.Minute)
		if err != nil {
			return fmt.Errorf("attempt %d: %w", i+1, err)
		}
		if want := `{"v":1,"callId":"` + callID + `","ok":true,"value":{"charged":10}}`; string(answer.Data) != want {
			return fmt.Errorf("attempt %d: got %s, want %s", i+1, answer.Data, want)
		}
	}
	return nil
}
