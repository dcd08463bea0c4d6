// A complete codemode gateway in Go, on package gateway.
//
//	NATS_URL=nats://127.0.0.1:4222 CODEMODE_TENANT=default go run . run ../cells/parallel.js
//	go run . serve                        another replica, which answers calls only
//	go run . approvals                    what waits for a person
//	go run . approve <callId>             execute it; deny <callId> [reason] refuses
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"codemode/gateway"
	"codemode/protocol"
	"codemode/subjects"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := command(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string) error {
	c, done, err := connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	switch verb, rest := first(args); {
	case verb == "run" && len(rest) == 1:
		return run(ctx, c, rest[0])
	case verb == "serve":
		if err := c.Serve(answer); err != nil {
			return err
		}
		<-ctx.Done()
		return nil
	case verb == "approvals":
		return list(ctx, c)
	case (verb == "approve" || verb == "deny") && len(rest) > 0:
		return decide(ctx, c, verb == "approve", rest[0], strings.Join(rest[1:], " "))
	}
	return errors.New("usage: gateway-go run <cell.js> | serve | approvals | approve <callId> | deny <callId> [reason]")
}

// connect makes the client. Calls of tools that change something go through the ledger.
func connect(ctx context.Context) (c *gateway.Client, done func(), err error) {
	tenant := env("CODEMODE_TENANT", "default")
	nc, err := nats.Connect(env("NATS_URL", nats.DefaultURL), nats.MaxReconnects(-1), nats.CustomInboxPrefix("_INBOX."+tenant))
	if err != nil {
		return nil, nil, fmt.Errorf("connect to NATS: %w", err)
	}
	err = gateway.EnsureLedger(ctx, nc, subjects.Options{}) // where the user may not, the operator does it
	if err == nil {
		c, err = gateway.New(nc, gateway.Options{
			Tenant: tenant, Guard: guard, Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		})
	}
	if err != nil {
		nc.Close()
		return nil, nil, err
	}
	return c, func() {
		if err := c.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		nc.Close()
	}, nil
}

func guard(call *gateway.Call) gateway.Guard {
	if t := tools[call.ToolName]; t.pure {
		return gateway.GuardNone
	} else if t.replaySafe {
		return gateway.GuardReplay
	}
	return gateway.GuardOnce
}

// answer is the handler: policy, approvals and tools are the gateway's own affair.
func answer(ctx context.Context, call *gateway.Call) (any, error) {
	t, known := tools[call.ToolName]
	if !known {
		return nil, gateway.Blocked("no such tool")
	}
	if t.approval {
		return nil, gateway.Pending(call.ToolName + " " + string(call.Input))
	}
	return execute(ctx, call)
}

// execute runs a tool: at once, or when a person has approved it.
func execute(ctx context.Context, call *gateway.Call) (any, error) {
	t := tools[call.ToolName]
	if t.takes > 0 {
		call.Accept()
		select {
		case <-time.After(t.takes):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	var in input
	if err := json.Unmarshal(call.Input, &in); err != nil {
		return nil, err
	}
	return t.do(in)
}

// run runs a cell to its end and prints what it gives.
func run(ctx context.Context, c *gateway.Client, file string) error {
	code, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := c.Serve(answer); err != nil {
		return err
	}
	ref, err := c.PutCatalog(ctx, catalog())
	if err != nil {
		return err
	}
	cell := gateway.Cell{Code: string(code), CatalogRef: ref, Scope: protocol.Scope{SessionID: "example"}, Config: json.RawMessage(`{"enabled":true,"timeoutMs":1000}`)}
	reply, err := c.Exec(ctx, cell)
	if err != nil {
		return err
	}
	for _, p := range reply.Result.Pending {
		fmt.Fprintln(os.Stderr, "waiting for", p.CallID)
	}
	end, err := c.Resume(ctx, reply, cell.Scope)
	if err != nil {
		return err
	}
	return show(end.Result)
}
