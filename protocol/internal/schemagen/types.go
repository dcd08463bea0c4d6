package main

import (
	"reflect"

	"codemode/protocol"
)

// types are those that write themselves, or whose fields depend on each other.
var types = map[reflect.Type]func(*builder) *schema{
	reflect.TypeFor[protocol.Result](): result,
	reflect.TypeFor[protocol.CatalogSource](): func(b *builder) *schema {
		s := b.structure(reflect.TypeFor[protocol.CatalogSource]())
		s.OneOf = []*schema{{Required: []string{"ref"}}, {Required: []string{"inline"}}}
		return s
	},
	reflect.TypeFor[protocol.Tool](): func(b *builder) *schema {
		s := b.structure(reflect.TypeFor[protocol.Tool]())
		s.AllOf = []*schema{when("source", []any{protocol.SourceMCP}, &schema{Required: []string{"mcp"}})}
		return s
	},
	reflect.TypeFor[protocol.Node](): node,
	reflect.TypeFor[protocol.NodeEntry](): func(b *builder) *schema {
		return &schema{
			Type: "array", MinItems: 2, MaxItems: 2,
			PrefixItems: []*schema{{Type: "string", MinLength: 1}, b.of(reflect.TypeFor[protocol.Node]())},
		}
	},
}

func node(b *builder) *schema {
	self := b.of(reflect.TypeFor[protocol.Node]())
	kind := func(k protocol.NodeKind, required string, more ...member) *schema {
		return object([]string{"kind", required}, append(members{{"kind", constant(k)}}, more...)...)
	}
	return &schema{OneOf: []*schema{
		kind(protocol.NodeObject, "entries", member{"entries", listOf(b.of(reflect.TypeFor[protocol.NodeEntry]()))}),
		kind(protocol.NodeArray, "items", member{"items", listOf(self)}),
		kind(protocol.NodeValue, "value", member{"value", &schema{Description: "JSON"}}),
		kind(protocol.NodeFunction, "toolName",
			member{"toolName", &schema{Type: "string", Pattern: nonBlank, Description: "Name of a tool of the plugin."}},
			member{"params", about(listOf(&schema{Type: "string"}), "Input keys of positional arguments. Absent: the first argument, or {}, is the input.")}),
	}}
}

// result has the forms that Result.MarshalJSON writes (protocol 5).
func result(b *builder) *schema {
	form := func(name, description string, properties ...member) *schema {
		return b.define(name, func() *schema {
			all := append(properties,
				member{"output", about(listOf(outputItem(b)), "What earlier replies of the run did not carry, in order.")},
				member{"replaySafe", &schema{Type: "boolean", Description: "The cell is restart-safe."}},
				member{"telemetry", b.of(reflect.TypeFor[protocol.Telemetry]())})
			s := object(nil, all...)
			for _, p := range all {
				s.Required = append(s.Required, p.name)
			}
			s.Description = description
			return s
		})
	}
	status := func(s protocol.Status) member { return member{"status", constant(s)} }
	pending := about(listOf(b.of(reflect.TypeFor[protocol.PendingCall]())), "Unsettled requests, never with their inputs.")
	pending.MaxItems = protocol.MaxPendingListed
	failed := form("FailedResult", "The run has ended without a value.",
		status(protocol.StatusFailed),
		member{"error", &schema{Type: "string", Description: "For the model."}},
		member{"code", b.of(reflect.TypeFor[protocol.Code]())},
		member{"detail", b.of(reflect.TypeFor[protocol.Detail]())},
		member{"failurePhase", b.of(reflect.TypeFor[protocol.Phase]())},
		member{"bridgeDispatchStarted", &schema{Type: "boolean", Description: "A call may have been sent. Only where it is false may a host repeat the cell without asking."}})
	b.defs.find("FailedResult").AnyOf = codesOfDetails(b)
	return &schema{OneOf: []*schema{
		form("CompletedResult", "The run has ended with a value.", status(protocol.StatusCompleted), member{"value", &schema{Description: "JSON; null where the cell returned nothing."}}),
		form("WaitingResult", "The run is parked; a wait goes on with it.",
			status(protocol.StatusWaiting),
			member{"runId", matching(routablePattern, "The run, always the same.")(b)},
			member{"reason", b.of(reflect.TypeFor[protocol.Reason]())},
			member{"pendingToolCalls", pending}),
		failed,
	}}
}

// codesOfDetails pairs each code with its details (contract 14.2).
func codesOfDetails(b *builder) []*schema {
	var out []*schema
	for _, code := range b.source.values["Code"] {
		var details []any
		for _, d := range b.source.values["Detail"] {
			if protocol.Detail(d).Code() == protocol.Code(code) {
				details = append(details, d)
			}
		}
		out = append(out, &schema{Properties: members{{"code", constant(code)}, {"detail", &schema{Enum: details}}}})
	}
	return out
}

func outputItem(b *builder) *schema {
	return b.define("OutputItem", func() *schema {
		return &schema{Description: "What a cell puts out (contract 5.7).", OneOf: []*schema{
			object([]string{"type", "text"}, member{"type", constant("text")}, member{"text", &schema{Type: "string"}}),
			object([]string{"type", "value"}, member{"type", constant("json")}, member{"value", &schema{}}),
		}}
	})
}
