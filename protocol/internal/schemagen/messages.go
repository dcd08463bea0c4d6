package main

import (
	"reflect"

	"codemode/protocol"
)

// message is one that is sent by itself, and so has a schema of its own.
type message struct {
	file  string // without the ending
	title string
	about string // where the type's own comment is not what a reader on the wire needs
	root  func(*builder) *schema
}

func typed[T any](b *builder) *schema { return b.of(reflect.TypeFor[T]()) }

var messages = []message{
	{"exec-job", "ExecJob", "Starts a run (protocol 3).", func(b *builder) *schema {
		return b.structure(reflect.TypeFor[protocol.Job]())
	}},
	{"wait-job", "WaitJob", "Goes on with a run that has been answered with \"waiting\" (protocol 3).", func(b *builder) *schema {
		s := b.structure(reflect.TypeFor[protocol.Job](), "v", "runId", "jobId", "scope", "startBy")
		for i := range s.Properties {
			if s.Properties[i].name == "runId" {
				s.Properties[i].schema = routable(b)
			}
		}
		return s
	}},
	{"call", "Call", "", callMessage},
	{"call-result", "CallResult", "", callResult},
	{"reply", "Reply", "", typed[protocol.Reply]},
	{"event", "Event", "", eventMessage},
	{"catalog", "Catalog", "", typed[protocol.Catalog]},
	{"status-request", "StatusRequest", "", typed[protocol.StatusRequest]},
	{"status-response", "StatusResponse", "", typed[protocol.StatusResponse]},
	{"abort-request", "AbortRequest", "", func(b *builder) *schema {
		s := b.structure(reflect.TypeFor[protocol.AbortRequest]())
		s.OneOf = []*schema{{Required: []string{"runId"}}, {Required: []string{"sessionId"}}}
		return s
	}},
	{"abort-response", "AbortResponse", "", typed[protocol.AbortResponse]},
	{"surface-request", "SurfaceRequest", "", typed[protocol.SurfaceRequest]},
	{"surface-response", "SurfaceResponse", "", func(b *builder) *schema {
		s := b.structure(reflect.TypeFor[protocol.SurfaceResponse]())
		s.AllOf = []*schema{when("active", []any{true}, &schema{Required: []string{"tools", "catalogRef"}})}
		return s
	}},
	{"service-error", "ServiceError", "", typed[protocol.ServiceError]},
}

// callMessage says which fields come with which method (protocol 4).
func callMessage(b *builder) *schema {
	s := b.structure(reflect.TypeFor[protocol.Call]())
	var tool, swarm []any
	for _, m := range b.methods(protocol.Method.Remote) {
		if m.Tool() {
			tool = append(tool, m)
		} else {
			swarm = append(swarm, m)
		}
	}
	s.AllOf = []*schema{
		when("method", tool, &schema{Required: []string{"toolId", "toolName", "input"}}),
		when("method", swarm, &schema{Required: []string{"args"}}),
		when("method", []any{protocol.MethodNamespace}, &schema{Required: []string{"namespace"}}),
	}
	return s
}

// callResult has three forms (protocol 4).
func callResult(b *builder) *schema {
	s := b.structure(reflect.TypeFor[protocol.CallResult]())
	s.If = &schema{Required: []string{"ok"}, Properties: members{{"ok", constant(true)}}}
	s.Then = &schema{AnyOf: []*schema{{Required: []string{"result"}}, {Required: []string{"value"}}}}
	s.Else = &schema{Required: []string{"error"}}
	return s
}

// eventMessage says which fields come with which kind (protocol 6).
func eventMessage(b *builder) *schema {
	s := b.structure(reflect.TypeFor[protocol.Event]())
	for _, with := range []struct {
		required []string
		kinds    []any
	}{
		{[]string{"jobId"}, []any{protocol.EventAccepted, protocol.EventStarted, protocol.EventResumed, protocol.EventCompleted, protocol.EventFailed}},
		{[]string{"item"}, []any{protocol.EventOutput}},
		{[]string{"callId", "method", "attempt"}, []any{protocol.EventCall}},
		{[]string{"callId", "method", "ok"}, []any{protocol.EventSettled}},
		{[]string{"bytes"}, []any{protocol.EventSuspended}},
		{[]string{"detail"}, []any{protocol.EventFailed, protocol.EventAborted}},
	} {
		s.AllOf = append(s.AllOf, when("kind", with.kinds, &schema{Required: with.required}))
	}
	return s
}
