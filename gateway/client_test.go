package gateway_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"codemode/gateway"
	"codemode/internal/natstest"
	"codemode/protocol"
)

func TestExecAnswersACall(t *testing.T) {
	t.Parallel()
	ctx, r := patience(t), newRig(t).worker()
	var calls atomic.Int32
	c := r.serve(gateway.Options{}, func(_ context.Context, call *gateway.Call) (any, error) {
		calls.Add(1)
		return map[string]any{"got": call.Input, "tool": call.ToolName}, nil
	})
	reply, err := c.Exec(ctx, cell(`return await tools.callValue("openclaw:core:a", {x: 1})`, "a"))
	if err != nil {
		t.Fatal(err)
	}
	wantValue(t, reply.Result, `{"got":{"x":1},"tool":"a"}`)
	if calls.Load() != 1 {
		t.Errorf("%d calls", calls.Load())
	}
}

func TestAttachFindsAReplyOfAnotherProcess(t *testing.T) {
	t.Parallel()
	ctx, r := patience(t), newRig(t).worker()
	job := cell("return 7")
	job.RunID, job.JobID = gateway.NewRunID(), gateway.NewJobID()
	if _, err := r.client(gateway.Options{}).Exec(ctx, job); err != nil {
		t.Fatal(err)
	}
	reply, err := r.client(gateway.Options{}).Attach(ctx, job.RunID, job.JobID)
	if err != nil {
		t.Fatal(err)
	}
	wantValue(t, reply.Result, "7")
}

func TestAttachWaitsForAReply(t *testing.T) {
	t.Parallel()
	ctx, r := patience(t), newRig(t).worker()
	entered, release := make(chan struct{}), make(chan struct{})
	c := r.serve(gateway.Options{}, func(context.Context, *gateway.Call) (any, error) {
		close(entered)
		<-release
		return 5, nil
	})
	job := cell(`return await tools.callValue("a")`, "a")
	job.RunID, job.JobID = gateway.NewRunID(), gateway.NewJobID()
	gone, cancel := context.WithCancelCause(ctx)
	left := make(chan error, 1)
	go func() {
		_, err := c.Exec(gone, job)
		left <- err
	}()
	<-entered
	why := errors.New("enough")
	cancel(why)
	err := <-left
	var je *gateway.JobError
	if !errors.Is(err, gateway.ErrNoReply) || !errors.Is(err, why) || !errors.As(err, &je) || je.RunID != job.RunID || je.JobID != job.JobID {
		t.Fatalf("error %v", err)
	}
	close(release)
	reply, err := c.Attach(ctx, je.RunID, je.JobID)
	if err != nil {
		t.Fatal(err)
	}
	wantValue(t, reply.Result, "5")
}

func TestReplyIsFoundAfterAReconnect(t *testing.T) {
	t.Parallel()
	ctx, r := patience(t), newRig(t).worker()
	link := newLink(t, strings.TrimPrefix(r.url, "nats://"))
	entered, release := make(chan struct{}), make(chan struct{})
	r.serve(gateway.Options{}, func(context.Context, *gateway.Call) (any, error) {
		close(entered)
		<-release
		return "late", nil
	})
	c := r.clientAt(link.url(), gateway.Options{})
	type answer struct {
		reply *protocol.Reply
		err   error
	}
	got := make(chan answer, 1)
	run := gateway.NewRunID()
	events, err := r.client(gateway.Options{}).Events(ctx, run)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		job := cell(`return await tools.callValue("a")`, "a")
		job.RunID = run
		reply, err := c.Exec(ctx, job)
		got <- answer{reply, err}
	}()
	<-entered
	link.set(true)
	close(release)
	var last protocol.Event
	for last = range events {
		if last.RunID != run {
			t.Errorf("event of run %s", last.RunID)
		}
	}
	if last.Kind != protocol.EventCompleted {
		t.Fatalf("last event is %s", last.Kind)
	}
	link.set(false)
	a := <-got
	if a.err != nil {
		t.Fatal(a.err)
	}
	wantValue(t, a.reply.Result, `"late"`)
}

func TestJobIsSentOnceTheServerIsBack(t *testing.T) {
	t.Parallel()
	ctx, r := patience(t), newRig(t).worker()
	link := newLink(t, strings.TrimPrefix(r.url, "nats://"))
	c := r.clientAt(link.url(), gateway.Options{})
	link.set(true)
	got := make(chan error, 1)
	go func() {
		reply, err := c.Exec(ctx, cell("return 7"))
		if err == nil && string(reply.Result.Value) != "7" {
			err = errors.New("wrong value")
		}
		got <- err
	}()
	link.set(false)
	if err := <-got; err != nil {
		t.Fatal(err)
	}
}

func TestNoServerNoWorkers(t *testing.T) {
	t.Parallel()
	ctx, r := patience(t), newRig(t)
	// No stream yet: the job cannot be stored.
	c := r.client(gateway.Options{StartTimeout: time.Second})
	short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	if _, err := c.Exec(short, cell("return 7")); !errors.Is(err, gateway.ErrNotSent) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("without streams: %v", err)
	}
	ensure(ctx, t, r.nc)
	if _, err := c.Exec(ctx, cell("return 7")); !errors.Is(err, gateway.ErrNoWorkers) {
		t.Errorf("without workers: %v", err)
	}
	if _, err := c.Status(ctx, gateway.NewRunID()); !errors.Is(err, gateway.ErrNoWorkers) {
		t.Errorf("status without workers: %v", err)
	}
	if _, err := c.Abort(ctx, gateway.NewRunID()); !errors.Is(err, gateway.ErrNoWorkers) {
		t.Errorf("abort without workers: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := c.Exec(ctx, cell("return 7")); !errors.Is(err, gateway.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if err := c.Serve(echo); !errors.Is(err, gateway.ErrClosed) {
		t.Errorf("Serve after Close: %v", err)
	}
}

func TestCloseEndsWhoWaits(t *testing.T) {
	t.Parallel()
	ctx, r := patience(t), newRig(t)
	ensure(ctx, t, r.nc)
	c := r.client(gateway.Options{})
	jobs, err := r.nc.SubscribeSync("cm.job.*.*")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.nc.Flush(); err != nil {
		t.Fatal(err)
	}
	got := make(chan error, 1)
	go func() {
		_, err := c.Exec(ctx, cell("return 7"))
		got <- err
	}()
	if _, err := jobs.NextMsgWithContext(ctx); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := <-got; !errors.Is(err, gateway.ErrClosed) {
		t.Errorf("Exec ends with %v", err)
	}
}

func TestInputIsChecked(t *testing.T) {
	t.Parallel()
	ctx, r := patience(t), newRig(t)
	for name, opt := range map[string]gateway.Options{
		"tenant": {Tenant: "a.b"}, "prefix": {Prefix: "a..b"}, "lease": {Lease: time.Millisecond}, "grace": {Grace: -1},
	} {
		if _, err := gateway.New(r.nc, opt); !errors.Is(err, gateway.ErrInput) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := r.client(gateway.Options{})
	for name, bad := range map[string]gateway.Cell{
		"run id": {RunID: "cm_1", Code: "1"}, "job id": {JobID: "a.b", Code: "1"}, "input": {Input: []byte("{")},
		"catalogue": {Code: "1", CatalogRef: "x", Catalog: tools("a")},
	} {
		if _, err := c.Exec(ctx, bad); !errors.Is(err, gateway.ErrInput) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := c.Exec(ctx, gateway.Cell{Code: strings.Repeat("x", 17<<20)}); !errors.Is(err, gateway.ErrTooLarge) {
		t.Errorf("a cell over the payload limit: %v", err)
	}
	if _, err := c.Attach(ctx, "*", "j"); !errors.Is(err, gateway.ErrInput) {
		t.Errorf("attach to a wildcard: %v", err)
	}
	if _, err := c.Events(ctx, ">"); !errors.Is(err, gateway.ErrInput) {
		t.Errorf("events of a wildcard: %v", err)
	}
}

func TestMalformedReply(t *testing.T) {
	t.Parallel()
	ctx, r := patience(t), newRig(t)
	ensure(ctx, t, r.nc)
	c := r.client(gateway.Options{})
	for i, bad := range []string{``, `{`, `[]`, `{"v":2}`, `{"v":1,"runId":"cm_other00000000000","jobId":"j"}`} {
		run := gateway.NewRunID()
		if _, err := jetStream(t, r.nc).Publish(ctx, "cm.run."+tenant+"."+run+".reply.j", []byte(bad)); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Attach(ctx, run, "j"); !errors.Is(err, gateway.ErrMalformed) {
			t.Errorf("reply %d: %v", i, err)
		}
	}
}

func TestUnknownRun(t *testing.T) {
	t.Parallel()
	ctx, r := patience(t), newRig(t).worker()
	c := r.client(gateway.Options{})
	reply, err := c.Wait(ctx, gateway.WaitFor{RunID: gateway.NewRunID()})
	if err != nil || reply.Result.Detail != protocol.DetailSnapshotExpired {
		t.Errorf("wait of an unknown run: %+v, %v", reply, err)
	}
	if s, err := c.Status(ctx, gateway.NewRunID()); err != nil || s.State != protocol.StateUnknown {
		t.Errorf("status of an unknown run: %+v, %v", s, err)
	}
	var refused *gateway.ServiceError
	if _, err := c.Abort(ctx, "a.b"); !errors.As(err, &refused) || refused.Code != "400" {
		t.Errorf("abort of no token: %v", err)
	}
}

func TestStatusAndAbort(t *testing.T) {
	t.Parallel()
	ctx, r := patience(t), newRig(t).worker()
	ended := make(chan error, 1)
	c := r.serve(gateway.Options{}, func(ctx context.Context, call *gateway.Call) (any, error) {
		call.Accept()
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return nil, ctx.Err()
	})
	job := cell(`await yield_control("x"); return await tools.callValue("a")`, "a")
	job.RunID, job.Config = gateway.NewRunID(), []byte(`{"enabled":true,"timeoutMs":1000}`)
	reply, err := c.Exec(ctx, job)
	if err != nil || reply.Result.Status != protocol.StatusWaiting {
		t.Fatalf("%+v, %v", reply, err)
	}
	if reply, err = c.Wait(ctx, gateway.WaitFor{RunID: job.RunID, Scope: job.Scope}); err != nil || reply.Result.Reason != protocol.ReasonPendingTools {
		t.Fatalf("%+v, %v", reply, err)
	}
	s, err := c.Status(ctx, job.RunID)
	if err != nil || s.State != protocol.StateWaiting || len(s.Pending) != 1 || s.ExpiresAt == nil {
		t.Errorf("status %+v, %v", s, err)
	}
	aborted, err := c.Abort(ctx, job.RunID)
	if err != nil || len(aborted) != 1 || aborted[0] != job.RunID {
		t.Errorf("aborted %v, %v", aborted, err)
	}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "aborted") {
		t.Errorf("the handler's context ended with %v", err)
	}
}

func TestAbortOfASession(t *testing.T) {
	t.Parallel()
	ctx, r := patience(t), newRig(t).worker()
	entered := make(chan struct{})
	c := r.serve(gateway.Options{}, func(ctx context.Context, call *gateway.Call) (any, error) {
		close(entered)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	told := make(chan struct{})
	go func() {
		defer close(told)
		<-entered
		if _, err := c.AbortSession(ctx, "chat: 1"); err != nil {
			t.Error(err)
		}
	}()
	job := cell(`return await tools.callValue("a")`, "a")
	job.Scope.SessionID = "chat: 1"
	reply, err := c.Exec(ctx, job)
	if err != nil || reply.Result.Detail != protocol.DetailAborted {
		t.Errorf("%+v, %v", reply, err)
	}
	<-told
}

func TestPutCatalogAndSurface(t *testing.T) {
	t.Parallel()
	ctx, r := patience(t), newRig(t).worker()
	c := r.serve(gateway.Options{}, echo)
	cat := *tools("a")
	cat.Tools = append(cat.Tools, protocol.Tool{Source: protocol.SourceOpenClaw, Name: "image", DirectOnly: true})
	ref, err := c.PutCatalog(ctx, cat)
	if err != nil {
		t.Fatal(err)
	}
	again, err := r.client(gateway.Options{}).PutCatalog(ctx, cat) // a client that does not know it is there
	if err != nil || again != ref {
		t.Errorf("ref %s, then %s, %v", ref, again, err)
	}
	if n := streamMessages(ctx, t, r.nc, "KV_CM_CATALOGS"); n != 1 {
		t.Errorf("%d catalogues are stored", n)
	}
	s, err := c.Surface(ctx, gateway.SurfaceFor{Config: protocol.ResolveConfig(nil), Catalog: cat})
	if err != nil || !s.Active || len(s.Tools) != 3 || s.Tools[0].Name != "exec" || s.Tools[2].Name != "image" || s.CatalogRef != ref {
		t.Errorf("surface %+v, %v", s, err)
	}
	if s, err := c.Surface(ctx, gateway.SurfaceFor{Catalog: cat}); err != nil || s.Active {
		t.Errorf("surface of a disabled configuration: %+v, %v", s, err)
	}
	reply, err := c.Exec(ctx, gateway.Cell{Code: `return await tools.callValue("a", {k: 1})`, CatalogRef: ref})
	if err != nil {
		t.Fatal(err)
	}
	wantValue(t, reply.Result, `{"k":1}`)

	if _, err := c.PutCatalog(ctx, protocol.Catalog{Tools: []protocol.Tool{{Source: "x", Name: "a"}}}); !errors.Is(err, gateway.ErrInput) {
		t.Errorf("a catalogue with an unknown source: %v", err)
	}
	large := tools("a")
	large.Tools[0].Description = strings.Repeat("d", 17<<20)
	if _, err := c.PutCatalog(ctx, *large); !errors.Is(err, gateway.ErrTooLarge) && !errors.Is(err, gateway.ErrInput) {
		t.Errorf("a catalogue over the limits: %v", err)
	}
}

func TestMissingPermissionIsNamed(t *testing.T) {
	t.Parallel()
	all := []string{">"}
	for name, p := range map[string]struct {
		deny  server.Permissions
		named string
		do    func(context.Context, *nats.Conn) error
	}{
		"jobs": {server.Permissions{Publish: &server.SubjectPermission{Allow: all, Deny: []string{"cm.job.exec.acme"}}}, "cm.job.exec.acme", sendOne},
		"stored replies": {server.Permissions{Publish: &server.SubjectPermission{Allow: all, Deny: []string{"$JS.API.DIRECT.GET.CM_RUNS.>"}}}, "$JS.API.DIRECT.GET.CM_RUNS.cm.run.acme",
			func(ctx context.Context, nc *nats.Conn) error {
				c, err := gateway.New(nc, gateway.Options{Tenant: tenant})
				if err != nil {
					return err
				}
				defer c.Close()
				_, err = c.Attach(ctx, gateway.NewRunID(), "j")
				return err
			}},
		"replies": {server.Permissions{Subscribe: &server.SubjectPermission{Allow: all, Deny: []string{"cm.run.acme.*.reply.*"}}}, "cm.run.acme.*.reply.*", sendOne},
		"calls":   {server.Permissions{Subscribe: &server.SubjectPermission{Allow: all, Deny: []string{"cm.run.acme.*.call.*"}}}, "cm.run.acme.*.call.*", serveOne},
		"aborts":  {server.Permissions{Subscribe: &server.SubjectPermission{Allow: all, Deny: []string{"cm.abort.>"}}}, "cm.abort.acme.*.*", serveOne},
		"inbox":   {server.Permissions{Subscribe: &server.SubjectPermission{Allow: all, Deny: []string{"_INBOX.>"}}}, "_INBOX", sendOne},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := patience(t)
			url := usersServer(t, p.deny)
			ensure(ctx, t, natstest.Connect(t, url, nats.UserInfo("admin", "p")))
			nc := natstest.Connect(t, url, nats.UserInfo("user", "p"), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
			err := p.do(ctx, nc)
			if !errors.Is(err, gateway.ErrPermission) || !strings.Contains(err.Error(), p.named) {
				t.Errorf("got %v, want ErrPermission naming %s", err, p.named)
			}
		})
	}
}

func sendOne(ctx context.Context, nc *nats.Conn) error {
	c, err := gateway.New(nc, gateway.Options{Tenant: tenant})
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Exec(ctx, gateway.Cell{Code: "return 1"})
	return err
}

func serveOne(_ context.Context, nc *nats.Conn) error {
	c, err := gateway.New(nc, gateway.Options{Tenant: tenant})
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Serve(echo)
}
