package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"

	"github.com/nats-io/nats.go"

	"codemode/gateway"
	"codemode/internal/natsembed"
	"codemode/protocol"
	"codemode/subjects"
	"codemode/worker"
)

// startPool gives the examples a NATS server and a worker.
func startPool() (nc *nats.Conn, stop func()) {
	dir, err := os.MkdirTemp("", "codemode-example")
	must(err)
	srv, err := natsembed.Start(natsembed.Options{StoreDir: dir})
	must(err)
	engine, err := sharedEngine()
	must(err)
	workerConn, err := nats.Connect(srv.URL())
	must(err)
	w, err := worker.New(worker.Options{Conn: workerConn, Engine: engine, ID: "example", Logger: slog.New(slog.DiscardHandler)})
	must(err)
	must(w.Start(context.Background()))
	nc, err = nats.Connect(srv.URL())
	must(err)
	return nc, func() {
		nc.Close()
		must(w.Stop(context.Background()))
		workerConn.Close()
		srv.Shutdown()
		must(os.RemoveAll(dir))
	}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// newClient makes a client that answers calls with the given handler, if there is one.
func newClient(nc *nats.Conn, handle gateway.Handler) *gateway.Client {
	c, err := gateway.New(nc, gateway.Options{Tenant: "acme", Logger: slog.New(slog.DiscardHandler)})
	must(err)
	if handle != nil {
		must(c.Serve(handle))
	}
	return c
}

func closeClient(c *gateway.Client) { must(c.Close()) }

func greet(_ context.Context, call *gateway.Call) (any, error) {
	var in struct{ Name string }
	if err := json.Unmarshal(call.Input, &in); err != nil {
		return nil, err
	}
	return "hello " + in.Name, nil
}

var greeter = protocol.Catalog{Tools: []protocol.Tool{{Source: protocol.SourceOpenClaw, Name: "greet"}}}

// A cell that calls a tool, from the catalogue to its value.
func Example() {
	nc, stop := startPool()
	defer stop()
	ctx := context.Background()

	c, err := gateway.New(nc, gateway.Options{Tenant: "acme"})
	must(err)
	defer closeClient(c)
	must(c.Serve(greet))
	ref, err := c.PutCatalog(ctx, greeter)
	must(err)
	out, err := c.Run(ctx, gateway.Cell{Code: `return await tools.greet({name: "Ada"})`, CatalogRef: ref})
	must(err)
	fmt.Println(out.Result.Status, string(out.Result.Value))
	// Output: completed "hello Ada"
}

func ExampleClient_Exec() {
	nc, stop := startPool()
	defer stop()
	c := newClient(nc, nil)
	defer closeClient(c)

	reply, err := c.Exec(context.Background(), gateway.Cell{Code: `text("adding"); return 1 + 1`})
	must(err)
	fmt.Println(string(reply.Result.Value), string(reply.Result.Output[0]))
	reply, err = c.Exec(context.Background(), gateway.Cell{Input: json.RawMessage(`{"code": "return nothing"}`)}) // what a model sent
	must(err)
	fmt.Println(reply.Result.Status, reply.Result.Detail)
	// Output:
	// 2 {"type":"text","text":"adding"}
	// failed guest_error
}

func ExampleClient_Wait() {
	nc, stop := startPool()
	defer stop()
	c := newClient(nc, nil)
	defer closeClient(c)
	ctx, scope := context.Background(), protocol.Scope{SessionID: "chat-1"}

	reply, err := c.Exec(ctx, gateway.Cell{Code: `await yield_control("look"); return 2`, Scope: scope})
	must(err)
	fmt.Println(reply.Result.Status, reply.Result.Reason)
	reply, err = c.Wait(ctx, gateway.WaitFor{RunID: reply.RunID, Scope: scope})
	must(err)
	fmt.Println(reply.Result.Status, string(reply.Result.Value))
	// Output:
	// waiting yield
	// completed 2
}

// A gateway that was restarted asks for the reply to a job that it sent before.
func ExampleClient_Attach() {
	nc, stop := startPool()
	defer stop()
	cell := gateway.Cell{RunID: gateway.NewRunID(), JobID: gateway.NewJobID(), Code: "return 7"} // stored before it is sent

	before := newClient(nc, nil)
	_, err := before.Exec(context.Background(), cell)
	must(err)
	closeClient(before)

	c := newClient(nc, nil)
	defer closeClient(c)
	reply, err := c.Attach(context.Background(), cell.RunID, cell.JobID)
	must(err)
	fmt.Println(string(reply.Result.Value))
	// Output: 7
}

func ExampleClient_Resume() {
	nc, stop := startPool()
	defer stop()
	c := newClient(nc, nil)
	defer closeClient(c)

	reply, err := c.Exec(context.Background(), gateway.Cell{Code: `await yield_control("1"); await yield_control("2"); return 3`})
	must(err)
	out, err := c.Resume(context.Background(), reply, protocol.Scope{})
	must(err)
	fmt.Println(string(out.Result.Value), "after", out.Waits, "waits")
	// Output: 3 after 2 waits
}

func ExampleClient_AwaitNews() {
	nc, stop := startPool()
	defer stop()
	release := make(chan struct{})
	c := newClient(nc, func(_ context.Context, call *gateway.Call) (any, error) {
		call.Accept() // the result comes when it comes
		<-release
		return "done", nil
	})
	defer closeClient(c)
	ctx := context.Background()

	reply, err := c.Exec(ctx, gateway.Cell{Code: `return await tools.greet({})`, Catalog: &greeter, Config: json.RawMessage(`{"timeoutMs": 100, "enabled": true}`)})
	must(err)
	close(release)
	must(c.AwaitNews(ctx, reply.RunID, reply.Result.Pending, gateway.LongestQuiet)) // instead of telling the model "still waiting"
	reply, err = c.Wait(ctx, gateway.WaitFor{RunID: reply.RunID})
	must(err)
	fmt.Println(string(reply.Result.Value))
	// Output: "done"
}

func ExampleClient_Abort() {
	nc, stop := startPool()
	defer stop()
	c := newClient(nc, nil)
	defer closeClient(c)
	ctx := context.Background()

	reply, err := c.Exec(ctx, gateway.Cell{Code: `await yield_control("x")`})
	must(err)
	status, err := c.Status(ctx, reply.RunID)
	must(err)
	aborted, err := c.Abort(ctx, reply.RunID)
	must(err)
	fmt.Println(status.State, aborted[0] == reply.RunID)
	// Output: waiting true
}

func ExampleClient_AbortSession() {
	nc, stop := startPool()
	defer stop()
	c := newClient(nc, nil)
	defer closeClient(c)
	ctx := context.Background()

	for range 2 {
		_, err := c.Exec(ctx, gateway.Cell{Code: `await yield_control("x")`, Scope: protocol.Scope{SessionID: "chat-1"}})
		must(err)
	}
	aborted, err := c.AbortSession(ctx, "chat-1")
	must(err)
	fmt.Println(len(aborted), "runs")
	// Output: 2 runs
}

func ExampleClient_Status() {
	nc, stop := startPool()
	defer stop()
	c := newClient(nc, nil)
	defer closeClient(c)

	status, err := c.Status(context.Background(), gateway.NewRunID())
	must(err)
	fmt.Println(status.State)
	// Output: unknown
}

func ExampleClient_Surface() {
	nc, stop := startPool()
	defer stop()
	c := newClient(nc, nil)
	defer closeClient(c)

	config := protocol.ResolveAgentConfig(json.RawMessage(`true`), nil)
	surface, err := c.Surface(context.Background(), gateway.SurfaceFor{Config: config, Catalog: greeter})
	must(err)
	for _, tool := range surface.Tools {
		fmt.Println(tool.Name)
	}
	// Output:
	// exec
	// wait
}

func ExampleClient_PutCatalog() {
	nc, stop := startPool()
	defer stop()
	c := newClient(nc, nil)
	defer closeClient(c)

	ref, err := c.PutCatalog(context.Background(), greeter)
	must(err)
	again, err := c.PutCatalog(context.Background(), greeter)
	must(err)
	fmt.Println(len(ref), ref == again)
	_, err = c.PutCatalog(context.Background(), protocol.Catalog{Tools: []protocol.Tool{{Name: "x"}}})
	fmt.Println(errors.Is(err, gateway.ErrInput))
	// Output:
	// 64 true
	// true
}

func ExampleClient_Events() {
	nc, stop := startPool()
	defer stop()
	c := newClient(nc, greet)
	defer closeClient(c)
	ctx, runID := context.Background(), gateway.NewRunID()

	events, err := c.Events(ctx, runID)
	must(err)
	_, err = c.Exec(ctx, gateway.Cell{RunID: runID, Code: `return await tools.greet({name: "Ada"})`, Catalog: &greeter})
	must(err)
	for e := range events {
		fmt.Println(e.Seq, e.Kind)
	}
	history, err := c.History(ctx, runID)
	must(err)
	fmt.Println(history[2].ToolID, "was called")
	// Output:
	// 1 accepted
	// 2 started
	// 3 call
	// 4 settled
	// 5 completed
	// openclaw:core:greet was called
}

// What goes to a model's transcript, without the names.
func ExampleClient_Record() {
	nc, stop := startPool()
	defer stop()
	c := newClient(nc, greet)
	defer closeClient(c)
	ctx := context.Background()
	cell := gateway.Cell{RunID: gateway.NewRunID(), Code: `return await tools.greet({name: "Ada"})`, Catalog: &greeter, Scope: protocol.Scope{ToolCallID: "tc1"}}

	transcript := &gateway.Transcript{Redact: []string{"name"}}
	changed, err := c.Record(ctx, cell.RunID, transcript)
	must(err)
	_, err = c.Run(ctx, cell)
	must(err)
	for range changed { // a user interface would show transcript.Messages() each time
	}
	for _, m := range gateway.ChatMessages(transcript.Messages()) {
		if m.Role == "assistant" {
			fmt.Println(m.ToolCalls[0].Function.Name, m.ToolCalls[0].Function.Arguments)
		} else {
			fmt.Println(*m.Content)
		}
	}
	// Output:
	// greet {"name":"[redacted]"}
	// hello Ada
}

// Calls that must not be executed twice go through the ledger.
func ExampleClient_Serve_ledger() {
	nc, stop := startPool()
	defer stop()
	ctx := context.Background()
	must(gateway.EnsureLedger(ctx, nc, subjects.Options{}))

	c, err := gateway.New(nc, gateway.Options{Guard: func(call *gateway.Call) gateway.Guard {
		if call.ToolName == "greet" {
			return gateway.GuardOnce
		}
		return gateway.GuardNone
	}})
	must(err)
	defer closeClient(c)
	must(c.Serve(greet))
	out, err := c.Run(ctx, gateway.Cell{Code: `return await tools.greet({name: "Ada"})`, Catalog: &greeter})
	must(err)
	fmt.Println(string(out.Result.Value))
	// Output: "hello Ada"
}

// A person decides about a call, in another process if need be.
func ExampleClient_Settle() {
	nc, stop := startPool()
	defer stop()
	ctx := context.Background()
	must(gateway.EnsureLedger(ctx, nc, subjects.Options{}))
	c := newClient(nc, func(_ context.Context, call *gateway.Call) (any, error) {
		return nil, gateway.Pending("greet " + string(call.Input))
	})
	defer closeClient(c)

	reply, err := c.Exec(ctx, gateway.Cell{Code: `return await tools.greet({name: "Ada"})`, Catalog: &greeter, Config: json.RawMessage(`{"timeoutMs": 100, "enabled": true}`)})
	must(err)
	waiting, err := c.Approvals(ctx)
	must(err)
	a := waiting[0]
	fmt.Println(a.Title)
	yes := gateway.Decision{RunID: a.Call.RunID, CallID: a.Call.CallID, InputHash: a.InputHash, By: "ann", Execute: greet}
	must(c.Settle(ctx, yes))
	fmt.Println(errors.Is(c.Settle(ctx, yes), gateway.ErrDecided))
	out, err := c.Resume(ctx, reply, protocol.Scope{})
	must(err)
	fmt.Println(string(out.Result.Value))
	// Output:
	// greet {"name":"Ada"}
	// true
	// "hello Ada"
}

func ExampleMCPTools() {
	tools, err := gateway.MCPTools("GitHub", json.RawMessage(`{"tools": [{"name": "create_issue", "inputSchema": {"type": "object"}}]}`), false)
	must(err)
	fmt.Println(tools[0].MCP.ServerName, tools[0].MCP.ToolName)
	// Output: GitHub create_issue
}
