package gateway_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"codemode/gateway"
	"codemode/internal/natstest"
	"codemode/protocol"
	"codemode/subjects"
	"codemode/worker"
)

// gatewayRights are those of DESIGN.md, for the tenant "acme" alone.
func gatewayRights() server.Permissions {
	return server.Permissions{
		Publish: &server.SubjectPermission{Allow: []string{
			"cm.job.exec.acme", "cm.job.wait.acme", "cm.run.acme.*.result.*", "cm.svc.*.acme",
			"$KV.CM_CATALOGS.acme.*", "$JS.API.DIRECT.GET.KV_CM_CATALOGS.$KV.CM_CATALOGS.acme.*",
			"$JS.API.DIRECT.GET.CM_RUNS.cm.run.acme.*.reply.*",
			"$JS.API.DIRECT.GET.CM_RUNS.cm.run.acme.*.result.*",
			"$KV.CM_CALLS.acme.>", "$JS.API.DIRECT.GET.KV_CM_CALLS.$KV.CM_CALLS.acme.>",
			"$JS.API.DIRECT.GET.CM_EVENTS.cm.event.acme.*.*",
			"$JS.API.CONSUMER.CREATE.KV_CM_CALLS.*.$KV.CM_CALLS.acme.approval.*.*",
			"$JS.API.CONSUMER.CREATE.CM_EVENTS.*.cm.event.acme.>",
		}},
		Subscribe: &server.SubjectPermission{Allow: []string{
			"_INBOX.acme.>", "cm.run.acme.*.call.*", "cm.run.acme.*.reply.*", "cm.event.acme.*.*", "cm.abort.acme.*.*", "cm.live.acme.*.*",
		}},
		// One for the answer, and one for Record: the server counts a call that reaches a connection again as an answer.
		Response: &server.ResponsePermission{MaxMsgs: 2, Expires: 2 * time.Minute},
	}
}

// TestRightsAreEnough does all that a gateway does with the rights that DESIGN.md asks for.
func TestRightsAreEnough(t *testing.T) {
	t.Parallel()
	ctx, url := patience(t), usersServer(t, gatewayRights())
	admin := natstest.Connect(t, url, nats.UserInfo("admin", "p"))
	if err := gateway.EnsureLedger(ctx, admin, subjects.Options{}); err != nil {
		t.Fatal(err)
	}
	engine, err := sharedEngine()
	if err != nil {
		t.Fatal(err)
	}
	w, err := worker.New(worker.Options{Conn: admin, Engine: engine, ID: "w", Logger: logger()})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(ctx); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := w.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}()

	nc := natstest.Connect(t, url, nats.UserInfo("user", "p"), nats.CustomInboxPrefix("_INBOX.acme"),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { t.Errorf("NATS: %v", err) }))
	c, err := gateway.New(nc, gateway.Options{Tenant: tenant, Guard: once, Logger: logger()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	err = c.Serve(func(_ context.Context, call *gateway.Call) (any, error) {
		if call.ToolName == "ask" {
			return nil, gateway.Pending("x")
		}
		return 1, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	surface, err := c.Surface(ctx, gateway.SurfaceFor{Config: protocol.ResolveConfig(nil), Catalog: *tools("ask", "do")})
	if err != nil {
		t.Fatal(err)
	}
	job := gateway.Cell{RunID: gateway.NewRunID(), Code: `return await tools.callValue("do") + await tools.callValue("ask")`, CatalogRef: surface.CatalogRef, Config: []byte(`{"enabled":true,"timeoutMs":100}`)}
	var tr gateway.Transcript
	if _, err := c.Record(ctx, job.RunID, &tr); err != nil {
		t.Fatal(err)
	}
	reply, err := c.Exec(ctx, job)
	if err != nil {
		t.Fatal(err)
	}
	var list []gateway.Approval
	for len(list) == 0 {
		if list, err = c.Approvals(ctx); err != nil {
			t.Fatal(err)
		}
	}
	d := gateway.Decision{RunID: job.RunID, CallID: list[0].Call.CallID, InputHash: list[0].InputHash, Execute: func(context.Context, *gateway.Call) (any, error) { return 2, nil }}
	if err := c.Settle(ctx, d); err != nil {
		t.Fatal(err)
	}
	out, err := c.Resume(ctx, reply, job.Scope)
	if err != nil {
		t.Fatal(err)
	}
	wantValue(t, out.Result, "3")
	wholeHistory(ctx, t, c, job.RunID)
	if _, err := c.Abort(ctx, job.RunID); err != nil {
		t.Error(err)
	}
	if n := len(tr.Messages()); n != 4 {
		t.Errorf("%d messages", n)
	}
}

// TestOtherTenantIsOutOfReach uses another tenant's name with these rights.
func TestOtherTenantIsOutOfReach(t *testing.T) {
	t.Parallel()
	url := usersServer(t, gatewayRights())
	nc := natstest.Connect(t, url, nats.UserInfo("user", "p"), nats.CustomInboxPrefix("_INBOX.acme"), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if _, err := gateway.New(nc, gateway.Options{Tenant: "other"}); !errors.Is(err, gateway.ErrPermission) {
		t.Errorf("got %v", err)
	}
}
