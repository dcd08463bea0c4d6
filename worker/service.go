package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/micro"

	"codemode/catalog"
	"codemode/kvsnapshots"
	"codemode/protocol"
)

// serviceTimeout bounds the work for one service request.
const serviceTimeout = 5 * time.Second

// startService registers the micro service of protocol 7.
func (w *Worker) startService() error {
	svc, err := micro.AddService(w.nc, micro.Config{
		Name: protocol.ServiceName, Version: w.opt.Version, Description: "Runs code mode cells.",
		Metadata: map[string]string{"worker": w.opt.ID, "engine": w.opt.Engine.Identity()},
	})
	if err != nil {
		return fmt.Errorf("register micro service: %w", err)
	}
	w.stops = append(w.stops, svc.Stop)
	for verb, handle := range map[protocol.Verb]func(context.Context, string, []byte) (any, error){
		protocol.VerbStatus: w.status, protocol.VerbAbort: w.abortService, protocol.VerbSurface: w.surface,
	} {
		handler := micro.HandlerFunc(func(req micro.Request) { w.serve(req, handle) })
		if err := svc.AddEndpoint(string(verb), handler, micro.WithEndpointSubject(w.names.ServiceFilter(verb))); err != nil {
			return fmt.Errorf("register service %s: %w", verb, err)
		}
	}
	return nil
}

// serviceFault is an error whose text and number go to the caller.
type serviceFault struct {
	code int
	text string
}

func (f *serviceFault) Error() string { return f.text }

func badRequest(format string, args ...any) error {
	return &serviceFault{400, fmt.Sprintf(format, args...)}
}

func (w *Worker) serve(req micro.Request, handle func(context.Context, string, []byte) (any, error)) {
	ctx, cancel := context.WithTimeout(w.work, serviceTimeout)
	defer cancel()
	tenant, ok := w.names.ParseService(req.Subject())
	var answer any
	err := badRequest("tenant is not 1 to 64 of A-Za-z0-9_-")
	if ok {
		answer, err = handle(ctx, tenant, req.Data())
	}
	if err == nil {
		var data []byte
		if data, err = protocol.Marshal(answer); err == nil {
			err = req.Respond(data)
		}
	}
	if err != nil {
		w.serviceError(req, err)
	}
}

func (w *Worker) serviceError(req micro.Request, err error) {
	fault := &serviceFault{500, "internal error"}
	if !errors.As(err, &fault) {
		w.log.Error("service request failed", "subject", req.Subject(), "error", err)
	}
	body, err := protocol.Marshal(protocol.ServiceError{V: protocol.Version, Error: fault.text})
	if err == nil {
		err = req.Error(strconv.Itoa(fault.code), fault.text, body)
	}
	if err != nil {
		w.log.Warn("service request could not be answered", "subject", req.Subject(), "error", err)
	}
}

func (w *Worker) status(ctx context.Context, tenant string, data []byte) (any, error) {
	var req protocol.StatusRequest
	if json.Unmarshal(data, &req) != nil || !protocol.RoutableRunID(req.RunID) {
		return nil, badRequest("runId is missing or malformed")
	}
	rec, _, err := w.snaps.GetLeader(ctx, tenant, req.RunID)
	if errors.Is(err, kvsnapshots.ErrNotFound) {
		return protocol.StatusResponse{V: protocol.Version, State: protocol.StateUnknown}, nil
	}
	if err != nil {
		return nil, err
	}
	res := protocol.StatusResponse{V: protocol.Version, State: protocol.StateWaiting, ExpiresAt: &rec.Expires, SnapshotBytes: rec.Telemetry.SnapshotBytes}
	for _, p := range rec.Pending[:min(len(rec.Pending), protocol.MaxPendingListed)] {
		res.Pending = append(res.Pending, pendingCall(p))
	}
	return res, nil
}

func (w *Worker) abortService(ctx context.Context, tenant string, data []byte) (any, error) {
	var req protocol.AbortRequest
	if json.Unmarshal(data, &req) != nil || (req.RunID == "") == (req.SessionID == "") {
		return nil, badRequest("exactly one of runId and sessionId must be given")
	}
	if req.RunID != "" && !protocol.RoutableRunID(req.RunID) {
		return nil, badRequest("runId is malformed")
	}
	aborted, err := w.abortStored(ctx, tenant, req)
	if err != nil {
		return nil, err
	}
	return protocol.AbortResponse{V: protocol.Version, Aborted: aborted}, nil
}

func (w *Worker) surface(ctx context.Context, tenant string, data []byte) (any, error) {
	var req protocol.SurfaceRequest
	if err := json.Unmarshal(data, &req); err != nil {
		return nil, badRequest("request is not a JSON object: %v", err)
	}
	if len(req.Catalog) == 0 {
		return nil, badRequest("catalog is missing")
	}
	cat, ref, err := w.catalogs.inline(tenant, req.Catalog)
	if err != nil {
		return nil, badRequest("%v", err)
	}
	var namespaces []protocol.Namespace
	if len(req.Namespaces) > 0 {
		if namespaces, err = catalog.DecodeNamespaces(req.Namespaces); err != nil {
			return nil, badRequest("%v", err)
		}
	}
	tools, active, err := catalog.Surface(protocol.ResolveConfig(req.Config), protocol.ResolveSwarm(req.Swarm), cat, namespaces)
	if err != nil {
		return nil, badRequest("%v", err)
	}
	res := protocol.SurfaceResponse{V: protocol.Version}
	if active {
		res.Active, res.Tools, res.CatalogRef = true, tools, ref
	}
	w.tellSurface(tenant, &res)
	if !active {
		return res, nil
	}
	if err := w.catalogs.put(ctx, tenant, ref, req.Catalog); err != nil {
		return nil, err
	}
	return res, nil
}
