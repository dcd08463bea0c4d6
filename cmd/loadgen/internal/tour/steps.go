package tour

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"codemode/cmd/loadgen/internal/gatewaysim"
	"codemode/protocol"
)

// scope is who the tour says it is; each step is a session of its own.
func scope(session string) protocol.Scope {
	return protocol.Scope{AgentID: "guide", SessionID: session, AgentRunID: "turn-1", ToolCallID: "exec-1"}
}

func (t *tour) stepParallel(ctx context.Context) error {
	t.say("The model sees two tools, exec and wait. All others are found from inside the cell.\n")
	run := t.gateway.NewRun(scope("parallel"))
	defer run.Close()
	r, err := t.exec(ctx, run, parallelCell)
	if err != nil {
		return err
	}
	if err := wantValue(r.Result, map[string]any{"found": "openclaw:core:weather", "celsius": 21.0, "dollars": 52.5}); err != nil {
		return err
	}
	calls := run.Calls()
	if calls.MostAtOnce != 3 {
		return fmt.Errorf("%d calls were with the gateway at the same time, want 3", calls.MostAtOnce)
	}
	if r.took >= toolsTake {
		return fmt.Errorf("it took %s, no less than the tools one after the other, %s", ms(r.took), ms(toolsTake))
	}
	t.figure("tools, one by one", "%s (%s + %s + %s)", ms(toolsTake), ms(weatherTakes), ms(ratesTake), ms(ordersTake))
	t.figure("publish to reply", "%s, as long as the slowest", ms(r.took))
	t.figure("besides the slowest", "%s", ms(r.took-ordersTake))
	t.figure("in the VM", "%.2f ms", r.Timing.VMMs)
	t.figure("catalogue, search, calls", "%d tools, %d search, %d calls", r.Result.Telemetry.CatalogSize, r.Result.Telemetry.SearchCount, r.Result.Telemetry.CallCount)
	t.figure("worker", "%s", r.Worker)
	return nil
}

var frame = regexp.MustCompile(`cell\.ts:(\d+)`)

func (t *tour) stepTypeScript(ctx context.Context) error {
	t.say("Types are taken out before the cell runs; lines in errors stay those of the source.\n")
	run := t.gateway.NewRun(scope("typescript"))
	defer run.Close()
	r, err := t.exec(ctx, run, typeScriptCell)
	if err != nil {
		return err
	}
	if r.Result.Status != protocol.StatusFailed || r.Result.Detail != protocol.DetailGuestError {
		return fmt.Errorf("status is %s, detail %q, want failed with guest_error", r.Result.Status, r.Result.Detail)
	}
	var named []int
	for _, m := range frame.FindAllStringSubmatch(r.Result.Error, -1) {
		n, _ := strconv.Atoi(m[1]) // digits; too many of them are no line here either
		named = append(named, n)
	}
	if len(named) == 0 || named[0] != typeScriptLine || !slices.Contains(named, typeScriptCause) {
		return fmt.Errorf("the error names lines %v, want %d first, and %d: %s", named, typeScriptLine, typeScriptCause, r.Result.Error)
	}
	t.say(fmt.Sprintf("The error names line %d:\n", named[0]))
	t.pointAt(typeScriptCell.Code, named[0])
	t.figure("publish to reply", "%s, with the transform", ms(r.took))
	return nil
}

// wantValue compares the value of a completed result.
func wantValue(res protocol.Result, want map[string]any) error {
	if res.Status == protocol.StatusFailed {
		return fmt.Errorf("the cell failed: %s: %s", res.Detail, res.Error)
	}
	if res.Status != protocol.StatusCompleted {
		return fmt.Errorf("status is %s, want completed", res.Status)
	}
	var got map[string]any
	if err := json.Unmarshal(res.Value, &got); err != nil {
		return fmt.Errorf("value %s is no object", res.Value)
	}
	for key, value := range want {
		if got[key] != value {
			return fmt.Errorf("value.%s is %v, want %v", key, got[key], value)
		}
	}
	return nil
}

// parkedRun is what the parked cell left.
type parkedRun struct {
	run    *gatewaysim.Run
	worker string // that parked it
	ticket string // made by the cell before it was parked
	at     time.Time
	dirty  int // bytes of VM state that differ from the engine image
	stored int // bytes of the record
}
