package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"codemode/protocol"
)

// Patterns of protocol 1; tokens_test.go holds them against the functions of package protocol.
const (
	tokenPattern     = `^[A-Za-z0-9_-]{1,64}$`
	runPattern       = `^cm_[A-Za-z0-9_-]{16,64}$`
	routablePattern  = `^[A-Za-z0-9_-]{1,255}$`
	refPattern       = `^[0-9a-f]{64}$`
	callIDSuffix     = `-[1-9][0-9]*-[0-9a-f]{8}$`
	bridgeIDSuffix   = `:[1-9][0-9]*$`
	nonBlank         = `\S`
	descriptionOfRun = "Run token: \"cm_\" and 16 to 64 of A-Za-z0-9_-, unguessable, made by the gateway."
)

func matching(pattern, description string) func(*builder) *schema {
	return func(*builder) *schema {
		return &schema{Type: "string", Pattern: pattern, Description: description}
	}
}

func routable(b *builder) *schema {
	return matching(routablePattern, "Run id, as in the subject. One that no run has is answered as an unknown run.")(b)
}

func about(s *schema, description string) *schema {
	s.Description = description
	return s
}

func described(description string, s func(*builder) *schema) func(*builder) *schema {
	return func(b *builder) *schema { return about(s(b), description) }
}

func atLeast(minimum int, description string) func(*builder) *schema {
	return func(*builder) *schema {
		return &schema{Type: "integer", Minimum: &minimum, Description: description}
	}
}

func anything(*builder) *schema { return &schema{} }

// methods gives the methods that ok takes.
func (b *builder) methods(ok func(protocol.Method) bool) []protocol.Method {
	var out []protocol.Method
	for _, v := range b.source.values["Method"] {
		if m := protocol.Method(v); ok(m) {
			out = append(out, m)
		}
	}
	return out
}

// numbered is a string of a method's name and more.
func (b *builder) numbered(head string, ok func(protocol.Method) bool, suffix string) *schema {
	var names []string
	for _, m := range b.methods(ok) {
		names = append(names, string(m))
	}
	return &schema{Type: "string", Pattern: "^" + head + "(" + strings.Join(names, "|") + ")" + suffix}
}

func anyMethod(protocol.Method) bool { return true }

// fields say what the Go type of a field does not; "*" stands for every type.
var fields = map[string]func(*builder) *schema{
	"*.v":      described("Version of the protocol.", func(*builder) *schema { return constant(protocol.Version) }),
	"*.tenant": matching(tokenPattern, "Tenant, as in the subject."),
	"*.runId":  matching(routablePattern, "Run id, as in the job."),
	"*.jobId":  matching(tokenPattern, "Job id, chosen by the gateway, unique within its run."),
	"*.callId": described("Call id \"<method>-<n>-<hash>\". It is the idempotency key of the call.", func(b *builder) *schema {
		return b.numbered("", anyMethod, callIDSuffix)
	}),
	"*.attempt": atLeast(1, "From 1; higher where an earlier attempt may have been lost."),

	"Job.runId":   matching(runPattern, descriptionOfRun),
	"Job.scope":   described("Identity that owns the run. A wait has to present what the exec job had.", typed[protocol.Scope]),
	"Job.startBy": described("A job that is taken later than this is not run: failed, detail \"timeout\".", date),
	"Job.input": described("Arguments of exec, as the model sent them. They are checked by the worker (contract 4.1), so nothing is refused here.", func(*builder) *schema {
		return &schema{Properties: members{
			{"code", &schema{Description: "The cell."}},
			{"command", &schema{Description: "Alias of code; where both are given they must be equal."}},
			{"language", &schema{Description: "\"javascript\", the default, or \"typescript\"."}},
			{"restartSafe", &schema{Description: "true for a cell whose every call may be repeated."}},
		}}
	}),
	"Job.config":           setting[protocol.Config](protocol.ResolveConfig, "Code mode: absent or null is enabled with defaults."),
	"Job.swarm":            setting[protocol.Swarm](protocol.ResolveSwarm, "Swarm: absent or null is off."),
	"Job.catalog":          described("Tools of the run; absent: none.", typed[protocol.CatalogSource]),
	"Job.namespaces":       described("Namespaces of this run alone, added to the catalogue's.", typed[[]protocol.Namespace]),
	"Job.forceRestartSafe": described("Makes the cell restart-safe whatever the model said.", typed[bool]),

	"CatalogSource.ref":    matching(refPattern, "SHA-256 in hex of the bytes stored in CM_CATALOGS."),
	"CatalogSource.inline": described("The catalogue itself.", typed[protocol.Catalog]),

	"Tool.name":         matching(nonBlank, "Name of the tool."),
	"Tool.owner":        described("\"core\" where absent for openclaw, the safe server name for mcp, \"client\" for client.", typed[string]),
	"Tool.parameters":   described("JSON Schema of the input.", anything),
	"Tool.outputSchema": described("JSON Schema of the result's details. Taken from source \"openclaw\" alone.", anything),
	"Tool.replaySafe":   described("Calls may be repeated without harm.", typed[bool]),
	"Tool.directOnly":   described("Stays visible to the model and out of the catalogue.", typed[bool]),
	"Tool.control":      described("One of the controls of code mode itself; never catalogued.", typed[bool]),
	"Tool.bundled":      described("Belongs to a plugin that ships with the gateway.", typed[bool]),

	"MCPTool.serverName": matching(nonBlank, "Name of the MCP server."),
	"MCPTool.toolName":   matching(nonBlank, "Name of the tool at the server."),

	"Namespace.id":         matching(nonBlank, ""),
	"Namespace.pluginId":   matching(nonBlank, "Plugin that owns the namespace and its tools."),
	"Namespace.globalName": matching(nonBlank, "JavaScript identifier under which the cell finds it."),
	"Namespace.requiredToolNames": described("Tools of the plugin that have to be in the catalogue.", func(*builder) *schema {
		return &schema{Type: "array", MinItems: 1, Items: &schema{Type: "string", Pattern: nonBlank}}
	}),

	"Call.id": described("\"bridge:<method>:<n>\".", func(b *builder) *schema {
		return b.numbered("bridge:", protocol.Method.Remote, bridgeIDSuffix)
	}),
	"Call.callId": described("Call id \"<method>-<n>-<hash>\". It is the idempotency key of the call.", func(b *builder) *schema {
		return b.numbered("", protocol.Method.Remote, callIDSuffix)
	}),
	"Call.method":           func(b *builder) *schema { return oneOfValues(b.methods(protocol.Method.Remote)...) },
	"Call.deadline":         described("End of the leg that sent the call. For information: the call goes on beyond it.", date),
	"Call.scope":            described("Scope of the exec job.", typed[protocol.Scope]),
	"Call.parentToolCallId": described("toolCallId of the exec job.", typed[string]),
	"Call.toolId":           described("Exact id of the catalogue entry.", typed[string]),
	"Call.input":            described("Input of the tool: methods call, callValue, namespace.", anything),
	"Call.namespace":        described("Method namespace.", typed[protocol.CallNamespace]),
	"Call.args":             described("Arguments: methods agentSpawn, agentWait, swarmNote.", func(*builder) *schema { return &schema{Type: "array"} }),

	"CallResult.ok":     described("Whether the tool succeeded.", typed[bool]),
	"CallResult.result": described("The tool's whole result; the cell is given its details.", func(*builder) *schema { return &schema{Type: "object"} }),
	"CallResult.value":  described("Short for the result {\"details\": value}.", anything),
	"CallError.message": described("Text of the error that the cell can catch.", typed[string]),
	"CallError.kind":    described("Says that policy refused the call.", func(*builder) *schema { return oneOfValues(protocol.KindBlocked) }),

	"PendingCall.id": described("\"bridge:<method>:<n>\".", func(b *builder) *schema {
		return b.numbered("bridge:", anyMethod, bridgeIDSuffix)
	}),

	"Event.seq":  atLeast(1, "Rises by one over the run."),
	"Event.item": described("Kind output: the output item.", outputItem),

	"StatusResponse.state":       func(*builder) *schema { return oneOfValues(protocol.StateWaiting, protocol.StateUnknown) },
	"StatusResponse.expiresAt":   described("When the parked run is forgotten, unless it is waited on before.", date),
	"StatusRequest.runId":        routable,
	"AbortRequest.runId":         matching(routablePattern, "Run to abort."),
	"AbortRequest.sessionId":     described("Session whose runs are to be aborted.", func(*builder) *schema { return &schema{Type: "string", MinLength: 1} }),
	"SurfaceRequest.config":      setting[protocol.Config](protocol.ResolveConfig, "Code mode: absent or null is enabled with defaults."),
	"SurfaceRequest.swarm":       setting[protocol.Swarm](protocol.ResolveSwarm, "Swarm: absent or null is off."),
	"SurfaceRequest.catalog":     described("Catalogue with all tools, direct-only ones included.", typed[protocol.Catalog]),
	"SurfaceRequest.namespaces":  described("Namespaces of the run.", typed[[]protocol.Namespace]),
	"SurfaceResponse.active":     described("Whether code mode applies. Where it is false the gateway leaves its tools alone.", typed[bool]),
	"SurfaceResponse.tools":      described("Where active: exec, wait and the direct-only tools.", typed[[]protocol.ToolDefinition]),
	"SurfaceResponse.catalogRef": matching(refPattern, "Where active: reference under which the catalogue has been stored."),
	"ToolDefinition.parameters":  described("JSON Schema of the arguments.", anything),
	"Reply.worker":               described("Name of the worker.", typed[string]),
	"Event.worker":               described("Name of the worker.", typed[string]),
	"Telemetry.visibleTools":     described("exec, wait and direct-only tools.", typed[[]string]),
	"Telemetry.calledTools":      described("Ids of tools called so far, in order of the first call, at most 256.", calledTools),
	"Telemetry.legs":             atLeast(0, "Legs of the run so far; 0 where a wait found no run."),
	"Telemetry.snapshotBytes":    described("Size of the last parked state.", typed[int]),
	"Telemetry.catalogSize":      described("Number of catalogue entries.", typed[int]),
	"Telemetry.callCount":        described("Calls whose tool was found.", typed[int]),
}

func date(*builder) *schema { return &schema{Type: "string", Format: "date-time"} }

func calledTools(*builder) *schema {
	return &schema{Type: "array", MaxItems: protocol.MaxCalledTools, Items: &schema{Type: "string"}}
}

// setting is a raw setting: a boolean or an object (contract 2.1). Its defaults and clamps are asked of the
// function that resolves it.
func setting[T any](resolve func(json.RawMessage) T, description string) func(*builder) *schema {
	return func(b *builder) *schema {
		t := reflect.TypeFor[T]()
		raw := b.define(t.Name(), func() *schema { return settingObject(b, t, resolve) })
		return &schema{Description: description, AnyOf: []*schema{{Type: "boolean"}, {Type: "null"}, raw}}
	}
}

func settingObject[T any](b *builder, t reflect.Type, resolve func(json.RawMessage) T) *schema {
	s := object(nil)
	s.Description = "Fields that are not given, or not of the right type, have their defaults; numbers are clamped (contract 2)."
	value := func(raw string, i int) reflect.Value { return reflect.ValueOf(resolve(json.RawMessage(raw))).Field(i) }
	for i := range t.NumField() {
		name := t.Field(i).Tag.Get("json")
		p := b.of(t.Field(i).Type)
		def := value(`{}`, i)
		switch {
		case name == "enabled":
			p.Default = def.Interface()
			p.Description = "An object without it is switched off."
		case t.Field(i).Type.Kind() == reflect.Int:
			p.Default = def.Interface()
			p.Minimum = new(int)
			*p.Minimum = 1
			low, high := value(fmt.Sprintf(`{%q:1}`, name), i), value(fmt.Sprintf(`{%q:1e15}`, name), i)
			p.Description = strings.TrimSpace(fmt.Sprintf("%s Clamped to %d..%d.", sentence(b.source.fields[t.Name()+"."+t.Field(i).Name]), low.Int(), high.Int()))
		default:
			p.Default = def.Interface()
		}
		s.Properties = append(s.Properties, member{name, p})
	}
	return s
}

func sentence(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}
