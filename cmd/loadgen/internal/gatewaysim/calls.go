package gatewaysim

import (
	"encoding/json"
	"errors"
	"maps"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"codemode/internal/jetpub"
	"codemode/protocol"
)

// CallStats tells what a gateway saw of a run's nested calls.
type CallStats struct {
	ByTool     map[string]int // distinct calls by tool name
	Repeats    int            // how often a call came again under its callId
	MostAtOnce int            // calls that were worked on at the same time
}

// call is one nested call, however often it is sent.
type call struct {
	inboxes  []*nats.Msg // that wait for an answer
	accepted bool
	answer   []byte // set once it is there
}

// Calls gives the nested calls of the run so far.
func (r *Run) Calls() CallStats {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.stats
	s.ByTool = maps.Clone(s.ByTool)
	return s
}

// onCall takes a call. One that cannot be read is not answered: the run's next leg sends it again.
func (g *Gateway) onCall(msg *nats.Msg) {
	runID, callID := address(msg.Subject)
	r := g.run(runID)
	if r == nil {
		return
	}
	var c protocol.Call
	if err := json.Unmarshal(msg.Data, &c); err != nil || c.CallID != callID || c.V != protocol.Version {
		g.opt.Logger.Error("call dropped: it is malformed", "subject", msg.Subject, "bytes", len(msg.Data), "error", err)
		return
	}
	tool, known := g.tools[c.ToolName]
	if !known {
		g.respond(msg, encode(protocol.FailedCall(callID, "the gateway has no tool "+c.ToolName)))
		return
	}
	if !r.begin(msg, callID, tool) {
		return
	}
	if tool.Accept || tool.Latency > 0 {
		g.work.Go(func() { r.work(c, tool) })
		return
	}
	r.work(c, tool)
}

// begin notes a call and reports whether it is new. A repeated one gets the same answer, now or later.
func (r *Run) begin(msg *nats.Msg, callID string, tool Tool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, again := r.calls[callID]
	if !again {
		c = &call{accepted: tool.Accept}
		r.calls[callID] = c
		if r.stats.ByTool == nil {
			r.stats.ByTool = map[string]int{}
		}
		r.stats.ByTool[tool.Name]++
		r.busy++
		r.stats.MostAtOnce = max(r.stats.MostAtOnce, r.busy)
	} else {
		r.stats.Repeats++
	}
	switch {
	case c.accepted:
		r.g.respond(msg, nil)
	case c.answer != nil:
		r.g.respond(msg, c.answer)
	default:
		c.inboxes = append(c.inboxes, msg)
	}
	return !again
}

// work calls the tool and gives its answer to where it is awaited.
func (r *Run) work(pc protocol.Call, tool Tool) {
	if tool.Latency > 0 {
		t := time.NewTimer(tool.Latency)
		defer t.Stop()
		select {
		case <-t.C:
		case <-r.g.ctx.Done():
			return
		}
	}
	value, err := tool.Handler(r.g.ctx, pc)
	if r.g.ctx.Err() != nil {
		return
	}
	answer := r.g.encodeAnswer(pc.CallID, value, err)
	r.mu.Lock()
	c := r.calls[pc.CallID]
	inboxes := c.inboxes
	c.answer, c.inboxes = answer, nil
	r.busy--
	r.mu.Unlock()
	for _, msg := range inboxes {
		r.g.respond(msg, answer)
	}
	if tool.Accept {
		r.store(pc.CallID, answer)
	}
}

// encodeAnswer makes the CallResult; what cannot be stored is replaced as protocol 4 says.
func (g *Gateway) encodeAnswer(callID string, value any, err error) []byte {
	if err != nil {
		return encode(protocol.FailedCall(callID, err.Error()))
	}
	text, err := protocol.Marshal(value)
	if err != nil {
		return encode(protocol.FailedCall(callID, "the tool's value is no JSON: "+err.Error()))
	}
	answer := encode(protocol.CallResult{V: protocol.Version, CallID: callID, OK: true, Value: text})
	if int64(len(answer)) > g.nc.MaxPayload()-callBytesMargin {
		return encode(protocol.FailedCall(callID, protocol.MsgResultTooLarge))
	}
	return answer
}

// encode cannot fail: all that can has been turned into text before.
func encode(res protocol.CallResult) []byte {
	data, err := protocol.Marshal(res)
	if err != nil {
		panic(err)
	}
	return data
}

func (g *Gateway) respond(msg *nats.Msg, answer []byte) {
	if err := msg.Respond(answer); err != nil {
		g.opt.Logger.Warn("call could not be answered", "subject", msg.Subject, "error", err)
	}
}

// store puts the result of an accepted call into the stream, where any worker finds it. The first one counts.
func (r *Run) store(callID string, answer []byte) {
	msg := nats.NewMsg(r.g.opt.Names.Result(r.g.opt.Tenant, r.id, callID))
	msg.Data = answer
	_, err := jetpub.Publish(r.g.ctx, r.g.js, msg, jetstream.WithMsgID(msg.Subject))
	if err != nil && !errors.Is(err, jetpub.ErrExists) && r.g.ctx.Err() == nil {
		r.g.opt.Logger.Error("result of an accepted call could not be stored", "subject", msg.Subject, "error", err)
	}
}
