package gatewaysim_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"codemode/cmd/loadgen/internal/gatewaysim"
	"codemode/protocol"
	"codemode/subjects"
)

// quick is a tool that gives its input back at once, and counts.
func quick(name string, calls *atomic.Int32) gatewaysim.Tool {
	return gatewaysim.Tool{
		Tool: protocol.Tool{Source: protocol.SourceOpenClaw, Name: name},
		Handler: func(_ context.Context, c protocol.Call) (any, error) {
			if calls != nil {
				calls.Add(1)
			}
			return c.Input, nil
		},
	}
}

func failing(err error) gatewaysim.Handler {
	return func(context.Context, protocol.Call) (any, error) { return nil, err }
}

func giving(value any) gatewaysim.Handler {
	return func(context.Context, protocol.Call) (any, error) { return value, nil }
}

// send plays the worker's part of a call and gives what comes to the inbox.
func (p *pool) send(ctx context.Context, run *gatewaysim.Run, n int, tool string) (callID string, answer []byte) {
	p.t.Helper()
	input := json.RawMessage(`{"a":1}`)
	callID, err := protocol.CallID(protocol.MethodCallValue, n, "openclaw:core:"+tool, input)
	if err != nil {
		p.t.Fatal(err)
	}
	data, err := protocol.Marshal(protocol.Call{
		V: protocol.Version, Tenant: tenant, RunID: run.ID(), CallID: callID, Method: protocol.MethodCallValue, Attempt: 1, ToolName: tool, Input: input,
	})
	if err != nil {
		p.t.Fatal(err)
	}
	msg, err := p.nc.RequestWithContext(ctx, names.Call(tenant, run.ID(), callID), data)
	if err != nil {
		p.t.Fatal(err)
	}
	return callID, msg.Data
}

func TestAnswersInTheInbox(t *testing.T) {
	t.Parallel()
	ctx, p := patience(t), newPool(t)
	tool := func(name string, latency time.Duration, handler gatewaysim.Handler) gatewaysim.Tool {
		return gatewaysim.Tool{Tool: protocol.Tool{Source: protocol.SourceOpenClaw, Name: name}, Latency: latency, Handler: handler}
	}
	g := p.gateway(p.url, quick("echo", nil),
		tool("late", 10*time.Millisecond, giving(true)),
		tool("fails", 0, failing(errors.New("no such thing"))),
		tool("odd", 0, giving(make(chan int))),
		tool("huge", 0, giving(strings.Repeat("x", 16<<20))))
	run := g.NewRun(protocol.Scope{})
	defer run.Close()
	for i, c := range []struct{ tool, value, failure string }{
		{"echo", `{"a":1}`, ""},
		{"late", "true", ""},
		{"fails", "", "no such thing"},
		{"odd", "", "no JSON"},
		{"huge", "", protocol.MsgResultTooLarge},
		{"absent", "", "has no tool absent"},
	} {
		callID, answer := p.send(ctx, run, i+1, c.tool)
		res, err := protocol.DecodeCallResult(callID, answer)
		switch {
		case err != nil:
			t.Errorf("%s: %v", c.tool, err)
		case c.failure == "" && (!res.OK || string(res.Value) != c.value):
			t.Errorf("%s: answer %s, want %s", c.tool, answer, c.value)
		case c.failure != "" && (res.OK || !strings.Contains(res.Error.Message, c.failure)):
			t.Errorf("%s: answer %.200s, want failure %q", c.tool, answer, c.failure)
		}
	}
	if got := run.Calls(); got.ByTool["echo"] != 1 || got.ByTool["late"] != 1 || got.Repeats != 0 || got.MostAtOnce != 1 {
		t.Errorf("calls seen: %+v", got)
	}
}

func TestAcceptedCallIsStored(t *testing.T) {
	t.Parallel()
	ctx, p := patience(t), newPool(t)
	release := make(chan struct{})
	var calls atomic.Int32
	slow := quick("slow", nil)
	slow.Accept = true
	slow.Handler = func(ctx context.Context, c protocol.Call) (any, error) {
		calls.Add(1)
		select {
		case <-release:
		case <-ctx.Done():
		}
		return c.Input, nil
	}
	run := p.gateway(p.url, slow).NewRun(protocol.Scope{})
	defer run.Close()
	live, err := p.nc.SubscribeSync(names.Live(tenant, run.ID(), subjects.Any))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second as after the loss of a worker
		if _, answer := p.send(ctx, run, 1, "slow"); len(answer) != 0 {
			t.Fatalf("answer %s, want the empty one that accepts", answer)
		}
	}
	close(release)
	msg, err := live.NextMsgWithContext(ctx)
	if err != nil {
		t.Fatal(err)
	}
	callID, answer := p.send(ctx, run, 1, "slow") // now that it is done
	if res, err := protocol.DecodeCallResult(callID, msg.Data); err != nil || string(res.Value) != `{"a":1}` || len(answer) != 0 {
		t.Errorf("stored %s, %v; answer to the repeated call %q", msg.Data, err, answer)
	}
	stream, err := p.js.Stream(ctx, subjects.StreamRuns)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := stream.Info(ctx, jetstream.WithSubjectFilter(names.ResultFilter(tenant, run.ID())))
	if err != nil || stored.State.Subjects[names.Result(tenant, run.ID(), callID)] != 1 {
		t.Errorf("stored results %v, %v, want one", stored.State.Subjects, err)
	}
	if got := run.Calls(); calls.Load() != 1 || got.ByTool["slow"] != 1 || got.Repeats != 2 {
		t.Errorf("tool was called %d times; calls seen: %+v", calls.Load(), got)
	}
}

func TestRepeatedCallHasTheSameAnswerAndIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	ctx, p := patience(t), newPool(t)
	var calls atomic.Int32
	run := p.gateway(p.url, quick("echo", &calls)).NewRun(protocol.Scope{})
	defer run.Close()
	_, first := p.send(ctx, run, 1, "echo")
	_, second := p.send(ctx, run, 1, "echo")
	if string(first) != string(second) || calls.Load() != 1 {
		t.Errorf("answers %s and %s, tool called %d times", first, second, calls.Load())
	}
}

func TestCallsAtOnceAreCounted(t *testing.T) {
	t.Parallel()
	ctx, p := patience(t), newPool(t)
	const n = 3
	var here atomic.Int32
	all := make(chan struct{})
	meet := quick("meet", nil)
	meet.Latency = time.Millisecond
	meet.Handler = func(ctx context.Context, _ protocol.Call) (any, error) {
		if here.Add(1) == n {
			close(all)
		}
		select {
		case <-all:
		case <-ctx.Done():
		}
		return true, nil
	}
	run := p.gateway(p.url, meet).NewRun(protocol.Scope{})
	defer run.Close()
	done := make(chan struct{})
	for i := range n {
		go func() {
			p.send(ctx, run, i+1, "meet")
			done <- struct{}{}
		}()
	}
	for range n {
		<-done
	}
	if got := run.Calls().MostAtOnce; got != n {
		t.Errorf("most calls at once %d, want %d", got, n)
	}
}

func TestStrayAndMalformedCallsAreNotAnswered(t *testing.T) {
	t.Parallel()
	ctx, p := patience(t), newPool(t)
	var calls atomic.Int32
	g := p.gateway(p.url, quick("echo", &calls))
	run := g.NewRun(protocol.Scope{})
	defer run.Close()
	inbox := p.nc.NewInbox()
	answers, err := p.nc.SubscribeSync(inbox)
	if err != nil {
		t.Fatal(err)
	}
	good := `{"v":1,"callId":"callValue-9-00000000","toolName":"echo"}`
	for _, c := range []struct{ run, data string }{
		{"cm_of_another_gateway", good},
		{run.ID(), ""},
		{run.ID(), "[]"},
		{run.ID(), `{"v":1,"callId":"callValue-8-00000000","toolName":"echo"}`},
		{run.ID(), `{"v":2,"callId":"callValue-9-00000000","toolName":"echo"}`},
	} {
		if err := p.nc.PublishRequest(names.Call(tenant, c.run, "callValue-9-00000000"), inbox, []byte(c.data)); err != nil {
			t.Fatal(err)
		}
	}
	// Calls are taken in order, so this answer comes after all that there could have been.
	p.send(ctx, run, 1, "echo")
	if n, _, err := answers.Pending(); n != 0 || err != nil || calls.Load() != 1 {
		t.Errorf("%d answers, %v; tool called %d times, want 1", n, err, calls.Load())
	}
}

func TestCloseEndsCallsThatAreWorkedOn(t *testing.T) {
	t.Parallel()
	ctx, p := patience(t), newPool(t)
	began := make(chan struct{})
	block := quick("block", nil)
	block.Accept = true
	block.Handler = func(ctx context.Context, _ protocol.Call) (any, error) {
		close(began)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	g := p.gateway(p.url, block)
	p.send(ctx, g.NewRun(protocol.Scope{}), 1, "block")
	<-began
	g.Close() // returns only when the handler has; a second Close, by the cleanup, is allowed
}

func TestToolsMustHaveNamesAndHandlers(t *testing.T) {
	t.Parallel()
	noHandler := quick("x", nil)
	noHandler.Handler = nil
	for _, tools := range [][]gatewaysim.Tool{{quick("", nil)}, {noHandler}, {quick("x", nil), quick("x", nil)}} {
		if g, err := gatewaysim.Start(t.Context(), gatewaysim.Options{URL: "nats://127.0.0.1:1", Tools: tools}); err == nil || errors.Is(err, gatewaysim.ErrConnect) {
			t.Errorf("tools %+v: gateway %v, error %v", tools, g, err)
		}
	}
}
