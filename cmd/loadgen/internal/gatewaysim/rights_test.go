package gatewaysim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"codemode/cmd/loadgen/internal/gatewaysim"
	"codemode/internal/natstest"
	"codemode/protocol"
	"codemode/subjects"
)

// guarded starts a server with a user for the pool and one with no rights but those a gateway of the
// tenant needs (protocol 2).
func guarded(t *testing.T) (poolURL, gatewayURL string) {
	t.Helper()
	srv, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true, JetStream: true, StoreDir: t.TempDir(),
		Users: []*server.User{
			{Username: "pool", Password: "p"},
			{Username: "gateway", Password: "p", Permissions: &server.Permissions{
				Publish: &server.SubjectPermission{Allow: []string{
					"cm.job.exec." + tenant, "cm.job.wait." + tenant, "cm.run." + tenant + ".*.result.*",
					"$JS.API.DIRECT.GET.CM_RUNS.cm.run." + tenant + ".*.reply.*",
				}},
				Subscribe: &server.SubjectPermission{Allow: []string{
					"_INBOX." + tenant + ".>", "cm.run." + tenant + ".*.call.*", "cm.run." + tenant + ".*.reply.*",
				}},
				Response: &server.ResponsePermission{MaxMsgs: 1, Expires: time.Minute},
			}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	srv.Start()
	t.Cleanup(func() { srv.Shutdown(); srv.WaitForShutdown() })
	if !srv.ReadyForConnections(20 * time.Second) {
		t.Fatal("the server is not ready")
	}
	at := func(user string) string { return strings.Replace(srv.ClientURL(), "nats://", "nats://"+user+":p@", 1) }
	return at("pool"), at("gateway")
}

func TestRightsOfATenantAreEnough(t *testing.T) {
	t.Parallel()
	ctx := patience(t)
	poolURL, gatewayURL := guarded(t)
	p := &pool{t: t, nc: natstest.Connect(t, poolURL), jobs: make(chan *nats.Msg, 8)}
	var err error
	if p.js, err = jetstream.New(p.nc); err != nil {
		t.Fatal(err)
	}
	if err := subjects.Ensure(ctx, p.js, subjects.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.nc.ChanSubscribe(names.JobAll(), p.jobs); err != nil {
		t.Fatal(err)
	}
	if err := p.nc.Flush(); err != nil {
		t.Fatal(err)
	}
	slow := quick("slow", nil)
	slow.Accept = true
	run := p.gateway(gatewayURL, quick("echo", nil), slow).NewRun(protocol.Scope{})
	live, err := p.nc.SubscribeSync(names.Live(tenant, run.ID(), subjects.Any))
	if err != nil {
		t.Fatal(err)
	}
	got := later(func() (gatewaysim.Answer, error) { return run.Exec(ctx, gatewaysim.Cell{Code: "return 7"}) })
	_, job := p.job(ctx)
	p.send(ctx, run, 1, "echo")
	p.send(ctx, run, 2, "slow")
	if _, err := live.NextMsgWithContext(ctx); err != nil {
		t.Errorf("the result of the accepted call was not stored: %v", err)
	}
	run.Close() // so that the reply has to be read from the stream
	p.reply(job, completed)
	if a := <-got; a.err != nil || !a.Fetched {
		t.Errorf("answer %+v, want one that was fetched", a)
	}
}

func TestStartTellsOfMissingRights(t *testing.T) {
	t.Parallel()
	_, gatewayURL := guarded(t)
	_, err := gatewaysim.Start(t.Context(), gatewaysim.Options{URL: gatewayURL, Tenant: "other"})
	if err == nil || !strings.Contains(strings.ToLower(err.Error()), "permissions violation") {
		t.Errorf("error %v", err)
	}
}
