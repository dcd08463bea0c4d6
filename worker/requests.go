package worker

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"codemode/catalog"
	"codemode/kvsnapshots"
	"codemode/protocol"
	"codemode/vm"
)

// resolve finds out what a request asks for. What a check refuses is answered locally with the text in
// Rejected (contract 10.1).
func (r *run) resolve(p *kvsnapshots.Pending, q vm.Request) error {
	p.Input = q.Payload
	switch {
	case q.Method == protocol.MethodSleep:
		return r.resolveTimer(p)
	case q.Method == protocol.MethodSearch:
		r.rec.Telemetry.SearchCount++
		r.w.metrics.searches.Add(r.ctx, 1)
		p.Rejected = checkSearch(q.Payload)
	case q.Method == protocol.MethodDescribe:
		r.rec.Telemetry.DescribeCount++
		r.w.metrics.describes.Add(r.ctx, 1)
		if _, ok := firstString(q.Payload); !ok {
			p.Rejected = "describe id must be a string."
		}
	case q.Method == protocol.MethodNamespace:
		return r.resolveNamespace(p, q.Payload)
	case q.Method.Tool():
		return r.resolveCall(p, q.Payload)
	case q.Method.Swarm():
		p.Rejected = r.checkSwarm(q.Method, q.Payload)
	}
	return nil
}

func (r *run) resolveTimer(p *kvsnapshots.Pending) error {
	var ms float64
	if err := json.Unmarshal(p.Input, &ms); err != nil {
		return protocol.ErrBadAnswer
	}
	p.Due = r.rec.Clock.Add(time.Duration(ms * float64(time.Millisecond)))
	return nil
}

// searchArgs reads [query, limit?] as the controller sends it: limit -1 is one that is no positive integer.
func searchArgs(payload json.RawMessage) (query string, limit int, refused string) {
	var args []json.RawMessage
	var ok bool
	if query, ok = firstString(payload); !ok {
		return "", 0, "search query must be a string."
	}
	if json.Unmarshal(payload, &args) == nil && len(args) > 1 {
		var given float64
		if json.Unmarshal(args[1], &given) != nil || given < 0 {
			return "", 0, "limit must be a positive integer."
		}
		limit = int(min(given, 1<<30))
	}
	return query, limit, ""
}

func checkSearch(payload json.RawMessage) string {
	_, _, refused := searchArgs(payload)
	return refused
}

func firstString(payload json.RawMessage) (string, bool) {
	var args []any
	if json.Unmarshal(payload, &args) != nil || len(args) == 0 {
		return "", false
	}
	s, ok := args[0].(string)
	return s, ok
}

// resolveCall resolves [id, input] of call and callValue (contract 6.8).
func (r *run) resolveCall(p *kvsnapshots.Pending, payload json.RawMessage) error {
	var args []json.RawMessage
	if err := json.Unmarshal(payload, &args); err != nil || len(args) != 2 {
		return protocol.ErrBadAnswer
	}
	p.Input = args[1]
	id, ok := firstString(payload)
	if !ok {
		p.Rejected = string(p.Method) + " id must be a string."
		return nil
	}
	entry, err := r.view.Lookup(id)
	if err != nil {
		p.Rejected = err.Error()
		return nil
	}
	r.target(p, entry)
	return nil
}

// namespacePayload is what the controller sends for a namespace call.
type namespacePayload struct {
	ID    string                  `json:"id"`
	Path  []string                `json:"path"`
	Count int                     `json:"count"`
	Args  map[int]json.RawMessage `json:"args"`
}

func (r *run) resolveNamespace(p *kvsnapshots.Pending, payload json.RawMessage) error {
	var ns namespacePayload
	if err := json.Unmarshal(payload, &ns); err != nil {
		return protocol.ErrBadAnswer
	}
	p.Path = append([]string{ns.ID}, ns.Path...)
	entry, input, err := r.view.Resolve(ns.ID, ns.Path, catalog.Args{Count: ns.Count, Values: ns.Args})
	if err == nil {
		p.Input = input
	}
	if entry != nil {
		r.target(p, entry)
	}
	if err != nil {
		p.Rejected = err.Error()
	}
	return nil
}

// target makes an entry the target of a call. It counts as a call from here on (contract 16.1).
func (r *run) target(p *kvsnapshots.Pending, entry *catalog.Entry) {
	p.ToolID, p.ToolName = entry.ID(), entry.Name()
	t := &r.rec.Telemetry
	t.CallCount++
	if len(t.CalledTools) < protocol.MaxCalledTools && !slices.Contains(t.CalledTools, p.ToolID) {
		t.CalledTools = append(t.CalledTools, p.ToolID)
	}
	if err := entry.CompileOutput(); err != nil {
		p.Rejected = err.Error()
	} else if len(p.Input) > r.w.maxCallBytes() {
		p.Rejected = protocol.MsgInputTooLarge
	}
}

// answerLocally settles a request that never leaves the worker (contract 10.1).
func (r *run) answerLocally(i int) settlement {
	p := r.rec.Pending[i]
	s := settlement{pending: p, answer: vm.Settlement{ID: p.ID, Remote: p.Method.Remote()}}
	if p.Rejected != "" {
		s.answer.Err = p.Rejected
		return s
	}
	if p.Method == protocol.MethodDescribe {
		id, _ := firstString(p.Input)
		entry, err := r.view.Lookup(id)
		if err != nil {
			s.answer.Err = err.Error()
			return s
		}
		s.answer.Value = entry.Described()
		return s
	}
	query, limit, _ := searchArgs(p.Input)
	if limit == 0 {
		limit = r.rec.Config.SearchDefaultLimit
	}
	found := r.view.Search(query, min(limit, r.rec.Config.MaxSearchLimit))
	out := []byte{'['}
	for k, entry := range found {
		if k > 0 {
			out = append(out, ',')
		}
		out = append(out, entry.Compact()...)
	}
	s.answer.Value = append(out, ']')
	return s
}

// checkRestartSafe refuses a turn in which a restart-safe cell asked for something that may not be
// repeated, before anything of the turn is sent (contract 13).
func (r *run) checkRestartSafe(requests []vm.Request) error {
	if !r.rec.RestartSafe {
		return nil
	}
	unsafe, namespaces := 0, 0
	for _, q := range requests {
		if r.safeToRepeat(q) {
			continue
		}
		unsafe++
		if q.Method == protocol.MethodNamespace {
			namespaces++
		}
	}
	switch {
	case unsafe == 0:
		return nil
	case unsafe == namespaces:
		return protocol.ErrUnsafeNamespace
	default:
		return protocol.ErrUnsafeCall
	}
}

func (r *run) safeToRepeat(q vm.Request) bool {
	switch q.Method {
	case protocol.MethodSearch, protocol.MethodDescribe, protocol.MethodYield, protocol.MethodSleep,
		protocol.MethodAgentSpawn, protocol.MethodAgentWait:
		return true
	case protocol.MethodCall, protocol.MethodCallValue:
		id, ok := firstString(q.Payload)
		if !ok {
			return false
		}
		entry, err := r.view.Lookup(id)
		return err == nil && entry.ID() == id && entry.ReplaySafe()
	default:
		return false
	}
}

// Load answers what the guest asks for inside a turn. It is the vm.Host of the run.
func (r *run) Load(kind, argument string) (json.RawMessage, error) {
	switch kind {
	case "catalog":
		return r.view.AllTools(), nil
	case "tool":
		id, ok := r.view.Convenience(argument)
		if !ok {
			return nil, nil
		}
		return json.Marshal(id)
	case "tools":
		names := r.view.ConvenienceNames()
		if names == nil {
			names = []string{}
		}
		return json.Marshal(names)
	case "mcp":
		return r.view.MCPTree(), nil
	case "namespaces":
		return r.view.NamespaceTree(), nil
	case "api.list":
		return r.view.APIList(argument)
	case "api.read":
		return r.view.APIRead(argument)
	case "api.mcp":
		return r.dollarAPI(argument)
	default:
		return nil, protocol.ErrBadAnswer
	}
}

// dollarAPI reads the argument of controller.js: the server's name as JSON, '+' or '-' for schemas, and
// the selector as JSON.
func (r *run) dollarAPI(argument string) (json.RawMessage, error) {
	var server, selector string
	dec := json.NewDecoder(strings.NewReader(argument))
	if err := dec.Decode(&server); err != nil {
		return nil, protocol.ErrBadAnswer
	}
	rest := argument[dec.InputOffset():]
	if len(rest) == 0 || json.Unmarshal([]byte(rest[1:]), &selector) != nil {
		return nil, protocol.ErrBadAnswer
	}
	return r.view.DollarAPI(server, selector, rest[0] == '+')
}
