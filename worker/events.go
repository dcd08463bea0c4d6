package worker

import (
	"encoding/json"
	"time"

	"github.com/nats-io/nats.go"

	"codemode/internal/natstrace"
	"codemode/protocol"
)

// event publishes a step of the run (protocol 6). Publishing does not wait: a step that could not be
// stored is logged and counted, and holds nothing up.
func (r *run) event(e protocol.Event) {
	r.rec.EventSeq++
	e.Seq = r.rec.EventSeq
	e.Tenant, e.RunID, e.Scope = r.tenant, r.rec.RunID, r.rec.Scope
	r.w.publishEvent(r.leg, e)
}

func (r *run) eventOutput(item json.RawMessage) {
	if !r.w.opt.NoOutputEvents {
		r.event(protocol.Event{Kind: protocol.EventOutput, Item: item})
	}
}

func (r *run) eventSettled(s settlement) {
	if s.pending.Method == protocol.MethodYield || s.pending.Method == protocol.MethodSleep {
		return
	}
	ok := s.answer.Err == ""
	r.event(protocol.Event{Kind: protocol.EventSettled, ToolID: s.pending.ToolID, CallID: s.pending.CallID, Method: s.pending.Method, OK: &ok})
}

func (w *Worker) publishEvent(l *leg, e protocol.Event) {
	e.V, e.At, e.Worker = protocol.Version, time.Now().UTC(), w.opt.ID
	e.Scope.Sender, e.Scope.Channel = "", "" // they come back on calls and go nowhere else (protocol 3)
	w.tellEvent(&e)
	data, err := protocol.Marshal(e)
	if err != nil {
		w.log.Error("event could not be encoded", "kind", e.Kind, "error", err)
		return
	}
	msg := nats.NewMsg(w.names.Event(e.Tenant, e.RunID, e.Kind))
	msg.Data = data
	if l != nil {
		natstrace.Inject(l.ctx, msg)
	}
	if _, err := w.js.PublishMsgAsync(msg); err != nil {
		w.eventFailed(msg, err)
	}
}

func (w *Worker) eventFailed(msg *nats.Msg, err error) {
	w.log.Warn("event could not be stored", "subject", msg.Subject, "error", err)
	w.metrics.dropped(w.work, "event_not_stored")
}
