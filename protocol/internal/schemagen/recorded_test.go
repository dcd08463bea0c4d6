package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"codemode/conformance"
	"codemode/internal/natstest"
	"codemode/internal/workertest"
	"codemode/subjects"
)

// recorder validates everything that is published, by its subject.
type recorder struct {
	t     *testing.T
	names subjects.Names

	mu      sync.Mutex
	inboxes map[string][]string // the schemas that an answer may have, by reply subject
	counts  map[string]int      // valid messages by schema, and by schema and form
}

// answers are the schemas of what comes to the inbox of a request.
var answers = map[string][]string{
	"svc.status": {"status-response", "service-error"}, "svc.abort": {"abort-response", "service-error"},
	"svc.surface": {"surface-response", "service-error"}, "run.call": {"call-result"},
}

// family is the subject without prefix and ids: "job.exec", "run.reply", "svc.abort".
func (r *recorder) family(subject string) string {
	tokens := strings.Split(subject, ".")
	if strings.HasPrefix(subject, subjects.KeySubject(subjects.BucketCatalogs, "")) {
		return "catalog"
	}
	if tokens[0] != r.names.Prefix() || len(tokens) < 4 {
		return ""
	}
	switch tokens[1] {
	case "job", "svc":
		return tokens[1] + "." + tokens[2]
	case "run":
		return "run." + tokens[4]
	}
	return tokens[1]
}

var schemaOf = map[string]string{
	"job.exec": "exec-job", "job.wait": "wait-job", "run.call": "call", "run.reply": "reply", "live": "call-result", "event": "event",
	"svc.status": "status-request", "svc.abort": "abort-request", "svc.surface": "surface-request",
	"catalog": "catalog",
}

func (r *recorder) see(msg *nats.Msg) {
	r.mu.Lock()
	defer r.mu.Unlock()
	family := r.family(msg.Subject)
	if want := answers[family]; want != nil && msg.Reply != "" {
		r.inboxes[msg.Reply] = want
	}
	switch {
	case family != "" && schemaOf[family] != "":
		r.check(msg, schemaOf[family])
	case r.inboxes[msg.Subject] != nil && len(msg.Data) > 0: // empty accepts a call
		r.check(msg, r.inboxes[msg.Subject]...)
	}
}

func (r *recorder) check(msg *nats.Msg, names ...string) {
	var errs []error
	for _, name := range names {
		err := validate(r.t, name, string(msg.Data))
		if err == nil {
			r.counts[name]++
			var m struct {
				Kind   string                  `json:"kind"`
				Method string                  `json:"method"`
				Result struct{ Status string } `json:"result"`
			}
			_ = json.Unmarshal(msg.Data, &m) // a CallResult's result may be of any form
			r.counts[name+"/"+m.Kind+m.Method+m.Result.Status]++
			return
		}
		errs = append(errs, err)
	}
	r.t.Errorf("%s: %v\n%.2000s", msg.Subject, errs, msg.Data)
}

// TestRecordedMessagesAreValid listens to everything while the conformance cases are played against a
// worker.
func TestRecordedMessagesAreValid(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	url := natstest.Server(t)
	r := &recorder{t: t, inboxes: map[string][]string{}, counts: map[string]int{}}
	ear := natstest.Connect(t, url)
	sub, err := ear.Subscribe(">", r.see)
	if err != nil {
		t.Fatal(err)
	}
	if err := sub.SetPendingLimits(-1, -1); err != nil {
		t.Fatal(err)
	}
	if err := ear.Flush(); err != nil {
		t.Fatal(err)
	}
	workertest.Start(t, natstest.Connect(t, url), nil)
	cases, err := conformance.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	cases = slices.DeleteFunc(cases, func(c conformance.Case) bool {
		return c.Name == "config/bad-numbers-are-defaults" // which a worker forgives and a schema does not
	})
	nc := natstest.Connect(t, url)
	if _, err := conformance.Run(ctx, cases, conformance.Options{Conn: nc}); err != nil { // package worker judges the outcomes
		t.Fatal(err)
	}
	// A message of the same connection comes last; the subscription is then through with all before it.
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	drained := make(chan struct{})
	sub.SetClosedHandler(func(string) { close(drained) })
	if err := sub.Drain(); err != nil {
		t.Fatal(err)
	}
	<-drained
	for _, want := range seen {
		if r.counts[want] == 0 {
			t.Errorf("no %s was recorded", want)
		}
	}
}

// seen is what the recording must hold at least.
var seen = []string{
	"exec-job", "wait-job", "status-request", "status-response", "abort-request", "abort-response", "surface-request", "surface-response",
	"catalog", "call-result", "reply/completed", "reply/waiting", "reply/failed",
	"call/call", "call/callValue", "call/namespace", "call/agentSpawn", "call/agentWait", "call/swarmNote",
	"event/accepted", "event/started", "event/output", "event/suspended", "event/resumed", "event/phase", "event/log",
	"event/completed", "event/failed", "event/aborted", "event/callcallValue", "event/settledcallValue",
}
