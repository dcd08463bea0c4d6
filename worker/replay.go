package worker

import (
	"errors"
	"fmt"

	"github.com/synadia-io/orbit.go/jetstreamext"

	"codemode/kvsnapshots"
	"codemode/protocol"
	"codemode/subjects"
)

// recall finds the results that an earlier attempt at the job left: their calls are not sent again
// (contract 12.5).
func (r *run) recall() error {
	msgs, err := jetstreamext.GetLastMsgsFor(r.ctx, r.w.js, subjects.StreamRuns, []string{r.w.names.ResultFilter(r.tenant, r.rec.RunID)})
	if err != nil {
		return fmt.Errorf("look for results of an earlier attempt: %w", err)
	}
	r.known = map[string]bool{}
	for msg, err := range msgs {
		if errors.Is(err, jetstreamext.ErrNoMessages) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("look for results of an earlier attempt: %w", err)
		}
		if callID, ok := r.w.names.ParseResult(msg.Subject); ok {
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
