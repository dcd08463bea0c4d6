package vm

import (
	"encoding/json"
	"slices"

	"codemode/protocol"
)

func (v *VM) emit(kind, text string) {
	item := make([]byte, 0, len(text)+32)
	if kind == "t" {
		item = append(append(item, `{"type":"text","text":`...), text...)
	} else {
		item = append(append(item, `{"type":"json","value":`...), text...)
	}
	item = append(item, '}')
	if v.counts.OutputBytes > 2 {
		v.counts.OutputBytes++ // the comma
	}
	v.counts.OutputBytes += len(item)
	v.turn.Output = append(v.turn.Output, item)
	if v.counts.OutputBytes > v.limits.OutputBytes {
		v.overflow(true)
	}
}

// overflow ends the run because of its output; items: because of the items.
func (v *VM) overflow(items bool) {
	v.turn.Overflowed = items
	v.fail(protocol.ErrOutput)
}

// What request answers in place of an id.
const (
	requestOneTooMany = -1
	requestTooLarge   = -2
)

// maxEnvelope is what a payload may be longer than the input it carries: ids, paths, brackets.
const maxEnvelope = 4096

// request notes a bridge request and gives its id. Where one more may not be pending the helper throws,
// and the run ends with the turn even if guest code catches it; too large a one is rejected (contract 2.4).
func (v *VM) request(method protocol.Method, payload json.RawMessage) int {
	if !method.Valid() || method == protocol.MethodSleep {
		v.fail(&protocol.Error{Detail: protocol.DetailInternal, Message: "unsupported code mode bridge method"})
	}
	if len(payload) > v.limits.InputBytes+maxEnvelope {
		return requestTooLarge
	}
	if !method.Remote() {
		v.hold(v.counts.NextID, len(payload)+requestBytes)
		return v.note(method, payload)
	}
	if v.counts.Pending >= v.limits.PendingCalls {
		v.fatal = protocol.ErrTooManyPending
		return requestOneTooMany
	}
	v.counts.Pending++
	return v.note(method, payload)
}

// requestBytes is about what a request takes besides its payload, here and in a worker.
const requestBytes = 512

// hold counts what the host keeps for a local request as memory of the guest, until it is answered: how
// many may be pending is not limited (contract 10.3 bounds remote ones), and the payloads are not on the
// guest's heap.
func (v *VM) hold(id, n int) {
	if !v.in.mem.hold(n) {
		v.fail(protocol.ErrMemory)
	}
	if v.local == nil {
		v.local = map[int]int{}
	}
	v.local[id] = n
}

func (v *VM) timer(delay json.RawMessage) int {
	if v.counts.Timers >= MaxTimers {
		return requestOneTooMany
	}
	v.counts.Timers++
	return v.note(protocol.MethodSleep, delay)
}

func (v *VM) note(method protocol.Method, payload json.RawMessage) int {
	id := v.counts.NextID
	v.counts.NextID++
	v.turn.Requests = append(v.turn.Requests, Request{ID: id, Method: method, Payload: payload})
	return id
}

// clearTimer takes back a timer. One of this turn was never told of, so that a turn which sets and clears
// timers without end stays small.
func (v *VM) clearTimer(id int) {
	v.counts.Timers--
	at, found := slices.BinarySearchFunc(v.turn.Requests, id, func(r Request, id int) int { return r.ID - id })
	if found {
		v.turn.Requests = slices.Delete(v.turn.Requests, at, at+1)
		return
	}
	v.turn.Cleared = append(v.turn.Cleared, id)
}

// load answers with '+' and JSON text, or '!' and the text of a refusal.
func (v *VM) load(kind, argument string) string {
	data, err := v.host.Load(kind, argument)
	if err != nil {
		return "!" + err.Error()
	}
	return "+" + string(data)
}
