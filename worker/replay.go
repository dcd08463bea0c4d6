package worker

import (
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"codemode/kvsnapshots"
	"codemode/protocol"
)

// recall finds the results that an earlier attempt at the job left: their calls are not sent again
// (contract 12.5), and are looked for as soon as the guest asks for them. Only their names are read here; a run can have more than one batch answers.
func (r *run) recall() error {
	filter := r.w.names.ResultFilter(r.tenant, r.rec.RunID)
	info, err := r.w.runs.Info(r.ctx, jetstream.WithSubjectFilter(filter))
	if err != nil {
		return fmt.Errorf("look for results of an earlier attempt: %w", err)
	}
	r.known = map[string]bool{}
	for subject := range info.State.Subjects {
		if callID, ok := r.w.names.ParseResult(subject); ok {
			r.known[callID] = true
		}
	}
	return nil
}

// checkDiverged fails closed where a recorded result has the method and number of a request but another
// hash: the run is not doing what it did (contract 12.5).
func (r *run) checkDiverged(p kvsnapshots.Pending) error {
	if len(r.known) == 0 || r.known[p.CallID] {
		return nil
	}
	for id := range r.known {
		if method, n, _, ok := protocol.ParseCallID(id); ok && method == p.Method && n == p.N {
			return protocol.ErrReplayDiverged
		}
	}
	return nil
}
