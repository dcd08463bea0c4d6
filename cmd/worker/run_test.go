package main_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"codemode/internal/natstest"
)

func embedded(t *testing.T, env ...string) *process {
	t.Helper()
	return start(t, append(env, "CODEMODE_EMBEDDED_ADDR=127.0.0.1:0", "CODEMODE_WORKER_ID=w1"), "-embedded")
}

func TestEmbeddedRunsACell(t *testing.T) {
	t.Parallel()
	p := embedded(t, "CODEMODE_DEBUG_CODE_MODE=1", "CODEMODE_DEBUG_SSE=peek")
	g := newGateway(t, p.ready("url"))
	id := newRun()
	g.exec(id, "const a = await tools.slow({n: 20}); return a + 1", 30*time.Second)
	c := g.accept()
	if c.RunID != id || c.ToolName != "slow" || c.Attempt != 1 {
		t.Errorf("the call is %+v", c)
	}
	g.result(c, "41")
	if r := g.completed("42"); r.Worker != "w1" || r.JobID != "j1" || r.Attempt != 1 {
		t.Errorf("the reply is %+v", r)
	}
	p.line(`msg="leg ended"`, "level=INFO", "runId="+id, "status=completed", "catalogSize=1")
	p.line(`msg="reply stored"`, "level=INFO", "runId="+id)
	p.line(`msg="call sent"`, "callId="+c.CallID, "toolId=openclaw:core:slow")
	p.line("msg=event", "runId="+id, "kind=started")
	if status, body := p.get("/readyz"); status != 200 {
		t.Errorf("readyz is %d %s", status, body)
	}
	_, metrics := p.get("/metrics")
	for _, want := range []string{`codemode_jobs_total{kind="exec"`, "codemode_results_total{", "codemode_calls_total{", "codemode_legs{", "codemode_leg_duration_seconds_count"} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	if p.stdout.Len() > 0 {
		t.Errorf("standard output is no terminal and has %q", p.stdout.String())
	}
	p.signal(syscall.SIGTERM)
	p.fails(0)
	p.line("msg=stopped")
}

func TestEmbeddedKeepsRunsOverARestart(t *testing.T) {
	t.Parallel()
	env := []string{"CODEMODE_EMBEDDED_STORE=" + t.TempDir()}
	first := embedded(t, env...)
	g := newGateway(t, first.ready("url"))
	id := newRun()
	g.exec(id, "return await tools.slow({})", 30*time.Second)
	c := g.accept()
	first.signal(syscall.SIGINT) // while the cell waits for its tool
	first.fails(0)
	first.line("msg=stopped")

	g = newGateway(t, embedded(t, env...).ready("url"))
	g.result(c, `"late"`)
	if r := g.completed(`"late"`); r.Attempt != 2 {
		t.Errorf("attempt %d", r.Attempt)
	}
}

func TestDebuggingShowsWhatAModelIsGiven(t *testing.T) {
	t.Parallel()
	p := embedded(t, "OPENCLAW_DEBUG_MODEL_PAYLOAD=full-redacted")
	g := newGateway(t, p.ready("url"))
	answer, err := g.nc.Request("cm.svc.surface.default", []byte(`{"catalog":{"tools":[{"source":"openclaw","name":"slow"}]}}`), patience)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(answer.Data), `"active":true`) {
		t.Errorf("the surface is %s", answer.Data)
	}
	p.line(`msg="model payload"`, "tools=2", `names="[exec wait]"`, `copy="[{`)
}

func TestStopsWithoutItsServer(t *testing.T) {
	t.Parallel()
	s := natsServer(t, &server.Options{JetStream: true})
	p := start(t, []string{"CODEMODE_NATS_URL=" + s.ClientURL()})
	p.ready("url")
	s.Shutdown()
	p.line("disconnected from NATS")
	until(t, "readyz is 503", func() bool {
		status, body := p.get("/readyz")
		return status == 503 && strings.HasPrefix(body, "not connected to NATS")
	})
	p.signal(syscall.SIGTERM)
	p.fails(0)
	p.line("msg=stopped")
}

const endless = "for (;;) {}"

func TestDrainTurnsReadinessOffAndLetsATurnEnd(t *testing.T) {
	t.Parallel()
	p := start(t, []string{"CODEMODE_NATS_URL=" + natstest.Server(t), "CODEMODE_SHUTDOWN_GRACE=1h"})
	g := newGateway(t, p.ready("url"))
	id := newRun()
	g.exec(id, endless, time.Minute)
	g.event(id, "started")
	if status, _ := p.get("/readyz"); status != 200 {
		t.Errorf("readyz is %d before the drain", status)
	}
	p.signal(syscall.SIGTERM)
	until(t, "readyz is 503", func() bool {
		status, body := p.get("/readyz")
		return status == 503 && body == "shutting down\n"
	})
	if status, _ := p.get("/healthz"); status != 200 {
		t.Errorf("healthz is %d during the drain", status)
	}
	if err := g.nc.Publish("cm.abort.default.run."+id, nil); err != nil {
		t.Fatal(err)
	}
	if r := g.reply(); r.Result.Status != "failed" || r.Result.Detail != "aborted" {
		t.Errorf("the reply is %+v", r)
	}
	p.fails(0)
	p.line("msg=stopped")
}

func TestASecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	p := start(t, []string{"CODEMODE_NATS_URL=" + natstest.Server(t), "CODEMODE_SHUTDOWN_GRACE=1h"})
	g := newGateway(t, p.ready("url"))
	id := newRun()
	g.exec(id, endless, time.Minute)
	g.event(id, "started")
	p.signal(syscall.SIGTERM)
	p.line("msg=stopping", "signal=terminated")
	p.signal(syscall.SIGTERM)
	p.fails(1, "worker: stopped at once by a second signal; cells that ran are run again by other workers")
}

func TestATurnThatOutlastsTheGraceIsLeftToOthers(t *testing.T) {
	t.Parallel()
	url := natstest.Server(t)
	first := start(t, []string{"CODEMODE_NATS_URL=" + url, "CODEMODE_SHUTDOWN_GRACE=0s"})
	g := newGateway(t, first.ready("url"))
	id := newRun()
	g.exec(id, endless, time.Minute)
	g.event(id, "started")
	first.signal(syscall.SIGTERM)
	first.fails(0)
	first.line("did not stop well", "legs were cut off")

	start(t, []string{"CODEMODE_NATS_URL=" + url, "CODEMODE_WORKER_ID=second"}).ready("url")
	g.event(id, "started")
	if err := g.nc.Publish("cm.abort.default.run."+id, nil); err != nil {
		t.Fatal(err)
	}
	if r := g.reply(); r.Worker != "second" || r.Attempt != 2 || r.Result.Detail != "aborted" {
		t.Errorf("the reply is %+v", r)
	}
}

func TestAParkedRunIsResumedAfterItsWorkerWasKilled(t *testing.T) {
	t.Parallel()
	url := natstest.Server(t)
	first := start(t, []string{"CODEMODE_NATS_URL=" + url, "CODEMODE_WORKER_ID=first"})
	g := newGateway(t, first.ready("url"))
	id := newRun()
	g.exec(id, "const a = 1; return a + await tools.slow({})", 100*time.Millisecond)
	c := g.accept()
	if r := g.reply(); r.Result.Status != "waiting" || r.Worker != "first" {
		t.Fatalf("the reply is %+v", r)
	}
	start(t, []string{"CODEMODE_NATS_URL=" + url, "CODEMODE_WORKER_ID=second"}).ready("url")
	first.signal(syscall.SIGKILL)
	first.exit()
	g.result(c, "2")
	g.wait(id, "j2")
	if r := g.completed("3"); r.Worker != "second" || r.JobID != "j2" || r.Attempt != 1 {
		t.Errorf("the reply is %+v", r)
	}
}

func TestACellOfAKilledWorkerIsRunAgain(t *testing.T) {
	t.Parallel()
	url := natstest.Server(t)
	first := start(t, []string{"CODEMODE_NATS_URL=" + url, "CODEMODE_ACK_WAIT=1s"})
	g := newGateway(t, first.ready("url"))
	id := newRun()
	g.exec(id, "return await tools.slow({})", 30*time.Second)
	c := g.accept()
	start(t, []string{"CODEMODE_NATS_URL=" + url, "CODEMODE_ACK_WAIT=1s", "CODEMODE_WORKER_ID=second"}).ready("url")
	first.signal(syscall.SIGKILL)
	first.exit()
	again := g.accept()
	if again.CallID != c.CallID || again.Attempt != 2 {
		t.Errorf("the call is sent again as %+v, first as %+v", again, c)
	}
	g.result(c, "7")
	if r := g.completed("7"); r.Worker != "second" || r.Attempt != 2 {
		t.Errorf("the reply is %+v", r)
	}
}
