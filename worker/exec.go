package worker

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"codemode/catalog"
	"codemode/kvsnapshots"
	"codemode/protocol"
	"codemode/source"
	"codemode/vm"
)

// exec runs the first leg of a run.
func (l *leg) exec() (*outcome, error) {
	if l.attempt > 1 {
		out, err := l.parkedAlready()
		if out != nil || err != nil {
			return out, err
		}
	}
	r, prepared, fail := l.prepare()
	if fail != nil {
		out := l.refuse(fail)
		if r != nil {
			out.result.ReplaySafe = r.rec.RestartSafe
		}
		return out, nil
	}
	l.atEnd = r.close
	if l.attempt > 1 {
		if err := r.recall(); err != nil {
			return nil, err
		}
	}
	r.event(protocol.Event{Kind: protocol.EventAccepted, JobID: l.job.JobID})
	var err error
	if r.vm, err = l.w.opt.Engine.Start(r, r.limits()); err != nil {
		return r.finish(0, err)
	}
	r.vm.SetClock(r.rec.Clock)
	r.event(protocol.Event{Kind: protocol.EventStarted, JobID: l.job.JobID})
	cell := vm.Cell{
		Code: prepared.Code, TypeScript: r.rec.Language == protocol.TypeScript,
		Seed:    vm.Seed(sha256.Sum256([]byte(l.tenant + "\x00" + l.job.RunID))),
		Globals: r.view.NamespaceGlobals(), Swarm: r.rec.Swarm.Enabled,
	}
	turn, err := r.turn(func() (vm.Turn, error) { return r.vm.Run(cell, r.deadline) })
	if err == nil && turn.Thrown != nil && turn.Thrown.Syntax {
		return r.syntaxError(turn.Thrown), nil
	}
	how, err := r.drive(turn, err)
	return r.finish(how, err)
}

// syntaxError is a failure of the input: nothing of the cell ran (contract 14.5).
func (r *run) syntaxError(t *vm.Thrown) *outcome {
	res := r.result(protocol.StatusFailed)
	res.Error, res.Detail, res.FailurePhase = r.positions(t.Text), protocol.DetailGuestError, protocol.PhaseInput
	return r.terminal(res)
}

// prepare makes the checks of contract 4.3 in their order. The run is given even with a failure once its
// input could be read.
func (l *leg) prepare() (*run, source.Prepared, *protocol.Error) {
	var prepared source.Prepared
	cfg := protocol.ResolveConfig(l.job.Config)
	if !cfg.Enabled {
		return nil, prepared, protocol.ErrDisabled
	}
	if int64(cfg.MaxOutputBytes)+protocol.EnvelopeBytes > l.w.nc.MaxPayload() {
		return nil, prepared, protocol.ErrOutputConfig
	}
	r := &run{leg: l, deadline: l.taken.Add(time.Duration(cfg.TimeoutMs) * time.Millisecond)}
	in, fail := protocol.ParseExecInput(l.job.Input)
	r.rec = &kvsnapshots.Record{
		V: kvsnapshots.RecordVersion, Tenant: l.tenant, RunID: l.job.RunID, Scope: l.job.Scope,
		ParentToolCallID: l.job.Scope.ToolCallID, Config: cfg, Swarm: protocol.ResolveSwarm(l.job.Swarm),
		Code: in.Code, Language: in.Language, RestartSafe: in.RestartSafe || l.job.ForceRestartSafe,
		Started: l.stored, Clock: l.stored, Telemetry: protocol.NewTelemetry(1), Engine: l.w.opt.Engine.Identity(),
	}
	if fail != nil {
		return r, prepared, fail
	}
	if !slices.Contains(cfg.Languages, in.Language) {
		return r, prepared, &protocol.Error{Detail: protocol.DetailLanguage, Message: "code mode " + string(in.Language) + " input is disabled."}
	}
	prepared, fail = r.prepareSource()
	if fail == nil {
		fail = r.prepareCatalog()
	}
	return r, prepared, fail
}

func (r *run) prepareSource() (source.Prepared, *protocol.Error) {
	ctx, cancel := context.WithDeadlineCause(r.ctx, r.deadline, protocol.ErrTimeout)
	defer cancel()
	prepared, err := source.Prepare(ctx, r.rec.Code, source.Language(r.rec.Language), r.w.opt.Engine.HasGlobal)
	var refused *source.Error
	switch {
	case errors.As(err, &refused):
		return prepared, &protocol.Error{Detail: sourceDetail(refused.Kind), Message: refused.Message}
	case err != nil:
		var fail *protocol.Error
		if errors.As(context.Cause(ctx), &fail) {
			return prepared, fail
		}
		return prepared, &protocol.Error{Detail: protocol.DetailInternal, Message: err.Error(), Cause: err}
	case prepared.Breakout:
		return prepared, &protocol.Error{Detail: protocol.DetailGuestError, Message: "SyntaxError: the cell closes a bracket that it did not open"}
	}
	r.lines = prepared.Lines
	if r.lines != nil {
		if r.rec.Lines, err = r.lines.MarshalBinary(); err != nil {
			return prepared, &protocol.Error{Detail: protocol.DetailInternal, Message: "encode line map", Cause: err}
		}
	}
	return prepared, nil
}

func sourceDetail(k source.Kind) protocol.Detail {
	switch k {
	case source.ModuleAccess:
		return protocol.DetailModuleAccess
	case source.Transform:
		return protocol.DetailTypeScript
	default:
		return protocol.DetailInvalidInput
	}
}

func (r *run) prepareCatalog() *protocol.Error {
	cat, err := r.loadJobCatalog()
	if err != nil {
		return asFailure(err)
	}
	if len(r.job.Namespaces) > 0 && string(r.job.Namespaces) != "null" {
		if r.rec.Namespaces, err = catalog.DecodeNamespaces(r.job.Namespaces); err != nil {
			return asFailure(err)
		}
	}
	if r.view, err = cat.ForRun(r.rec.Namespaces, r.rec.Swarm.Enabled); err != nil {
		return asFailure(err)
	}
	r.rec.Telemetry.CatalogSize = cat.Size()
	r.rec.Telemetry.Sources = cat.Sources()
	r.rec.Telemetry.VisibleTools = cat.VisibleTools()
	return nil
}

// asFailure gives the failure that an error shows as.
func asFailure(err error) *protocol.Error {
	var fail *protocol.Error
	if errors.As(err, &fail) {
		return fail
	}
	return &protocol.Error{Detail: protocol.DetailInternal, Message: err.Error(), Cause: err}
}

// parkedAlready answers an exec job that was delivered again although its first leg parked the run.
func (l *leg) parkedAlready() (*outcome, error) {
	rec, _, err := l.w.snaps.Get(l.ctx, l.tenant, l.job.RunID)
	if errors.Is(err, kvsnapshots.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if rec.ParkedBy != l.job.JobID {
		return nil, nil
	}
	return repeated(rec)
}

// repeated gives the waiting result that a run was parked with.
func repeated(rec *kvsnapshots.Record) (*outcome, error) {
	var res protocol.Result
	if err := json.Unmarshal(rec.Reply, &res); err != nil {
		return nil, err
	}
	return &outcome{result: res}, nil
}

var framePlace = regexp.MustCompile(`cell\.ts:(\d+):(\d+)`)

// positions turns places in transformed text into those of the submitted TypeScript (contract 5.13).
func (r *run) positions(text string) string {
	if r.lines == nil {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if !strings.HasPrefix(strings.TrimLeft(line, " "), "at ") {
			continue
		}
		lines[i] = framePlace.ReplaceAllStringFunc(line, func(place string) string {
			m := framePlace.FindStringSubmatch(place)
			row, _ := strconv.Atoi(m[1])
			column, _ := strconv.Atoi(m[2])
			row, column, ok := r.lines.Original(row, column)
			if !ok {
				return place
			}
			return "cell.ts:" + strconv.Itoa(row) + ":" + strconv.Itoa(column)
		})
	}
	return strings.Join(lines, "\n")
}
