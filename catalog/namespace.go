package catalog

import (
	"strconv"
	"strings"
	"unicode"

	"codemode/catalog/internal/ordered"
	"codemode/protocol"
)

// mcpNamespace is the id under which MCP members are called; no plugin can have it (contract 8.3).
const mcpNamespace = "mcp"

// maxScopeDepth bounds the nesting of a scope: no deeper value crosses the bridge (contract 2.4).
const maxScopeDepth = 512

var (
	errScopeDepth error = rejection("Code mode namespace scope is nested more than " + strconv.Itoa(maxScopeDepth) + " levels.")
	errNoToolName error = rejection("Code mode namespace toolName must be non-empty.")
)

func scopeNoObject(id string) error {
	return rejection(`Code mode namespace "` + id + `" createScope must return an object.`)
}

// namespace is a checked descriptor.
type namespace struct {
	wire     protocol.Namespace
	required map[string]bool
}

// reservedGlobals are the names no namespace can take (contract 8.3).
var reservedGlobals = merged(objectMembers, set(`
	ALL_TOOLS tools API MCP namespaces text json yield_control agents phase log
	console setTimeout clearTimeout queueMicrotask structuredClone TextEncoder TextDecoder atob btoa URL URLSearchParams
	process require module fetch setInterval clearInterval SharedArrayBuffer Atomics WebAssembly
	globalThis undefined NaN Infinity eval arguments isNaN isFinite parseInt parseFloat
	decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape
	Object Function Boolean Symbol Number BigInt Math Date String RegExp JSON Reflect Proxy Promise Iterator
	Error AggregateError EvalError InternalError RangeError ReferenceError SuppressedError SyntaxError TypeError URIError
	Array ArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array
	Float16Array Float32Array Float64Array BigInt64Array BigUint64Array
	Map Set WeakMap WeakSet WeakRef FinalizationRegistry DisposableStack AsyncDisposableStack AsyncIterator
	AsyncFunction GeneratorFunction Intl Temporal DOMException performance CallSite print scriptArgs`))

// reservedWords cannot be identifiers in any part of a JavaScript program.
var reservedWords = set(`await break case catch class const continue debugger default delete do else enum export extends
	false finally for function if implements import in instanceof interface let new null package private protected public
	return static super switch this throw true try typeof var void while with yield`)

func merged(sets ...map[string]bool) map[string]bool {
	all := map[string]bool{}
	for _, s := range sets {
		for k := range s {
			all[k] = true
		}
	}
	return all
}

// globalIdentifier reports whether s can be declared as a global.
func globalIdentifier(s string) bool {
	for i, r := range s {
		start := r == '_' || r == '$' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r)
		part := start || unicode.IsDigit(r) || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Pc) || r == 0x200c || r == 0x200d
		if i == 0 && !start || !part {
			return false
		}
	}
	return s != "" && !reservedWords[s]
}

// checkHead applies the rules on a registration but the one on its scope (contract 8.2).
func checkHead(id, pluginID, globalName string) error {
	switch {
	case blank(id):
		return rejection("Code mode namespace id must be non-empty.")
	case blank(pluginID):
		return rejection("Code mode namespace pluginId must be non-empty.")
	case !globalIdentifier(globalName):
		return rejection("Code mode namespace globalName must be a JavaScript identifier.")
	case reservedGlobals[globalName] || strings.HasPrefix(globalName, guestPrefix):
		return rejection(`Code mode namespace globalName "` + globalName + `" is reserved.`)
	}
	return nil
}

func checkRequired(names []string) error {
	if len(names) == 0 {
		return rejection("Code mode namespace requiredToolNames must include at least one tool name.")
	}
	for _, name := range names {
		if blank(name) {
			return rejection("Code mode namespace requiredToolNames must be non-empty strings.")
		}
	}
	return nil
}

// taken holds the ids and global names that are in use.
type taken struct {
	ids     map[string]bool
	globals map[string]string // global name → id
}

func newTaken() *taken {
	return &taken{ids: map[string]bool{mcpNamespace: true}, globals: map[string]string{}}
}

func (t *taken) check(id, globalName string) error {
	if t.ids[id] {
		return rejection(`Code mode namespace id "` + id + `" is already registered.`)
	}
	if owner, ok := t.globals[globalName]; ok {
		return rejection(`Code mode namespace globalName "` + globalName + `" is already registered by "` + owner + `".`)
	}
	return nil
}

func (t *taken) add(id, globalName string) {
	t.ids[id] = true
	t.globals[globalName] = id
}

// checkNamespaces applies contract 8.2, 8.3 and 8.5 to descriptors, given what is in use already.
func checkNamespaces(list []protocol.Namespace, used *taken) ([]*namespace, error) {
	checked := make([]*namespace, 0, len(list))
	for i := range list {
		n := &list[i]
		err := checkHead(n.ID, n.PluginID, n.GlobalName)
		if err == nil {
			err = checkRequired(n.RequiredToolNames)
		}
		if err == nil {
			err = used.check(n.ID, n.GlobalName)
		}
		if err == nil && n.Scope.Kind != protocol.NodeObject {
			err = scopeNoObject(n.ID)
		}
		if err == nil {
			err = checkNode(&n.Scope, 0)
		}
		if err != nil {
			return nil, &protocol.Error{Detail: protocol.DetailInvalidInput, Message: err.Error()}
		}
		used.add(n.ID, n.GlobalName)
		required := make(map[string]bool, len(n.RequiredToolNames))
		for _, name := range n.RequiredToolNames {
			required[name] = true
		}
		checked = append(checked, &namespace{wire: *n, required: required})
	}
	return checked, nil
}

func checkNode(n *protocol.Node, depth int) error {
	if depth > maxScopeDepth {
		return errScopeDepth
	}
	switch n.Kind {
	case protocol.NodeObject:
		for i := range n.Entries {
			if err := checkSegment(n.Entries[i].Key); err != nil {
				return err
			}
			if err := checkNode(&n.Entries[i].Node, depth+1); err != nil {
				return err
			}
		}
	case protocol.NodeArray:
		for i := range n.Items {
			if err := checkNode(&n.Items[i], depth+1); err != nil {
				return err
			}
		}
	case protocol.NodeFunction:
		if blank(n.ToolName) {
			return errNoToolName
		}
	case protocol.NodeValue:
		if len(n.Value) == 0 {
			return nil
		}
		if _, err := ordered.Parse(n.Value); err != nil {
			return rejection("Code mode namespace scope has a value that is not JSON.")
		}
	default:
		return rejection("Code mode namespace scope has a node that is no object, array, value or function.")
	}
	return nil
}

func checkSegment(key string) error {
	switch {
	case key == "":
		return rejection("Invalid code mode namespace path segment: (empty)")
	case key == "__proto__", key == "constructor", key == "prototype", strings.ContainsRune(key, 0):
		return rejection("Invalid code mode namespace path segment: " + key)
	}
	return nil
}

// pluginTool gives the native tool of that owner and name.
func (c *Catalog) pluginTool(owner, name string) *Entry {
	e := c.byID[string(protocol.SourceOpenClaw)+":"+owner+":"+name]
	if e == nil || e.tool.Source != protocol.SourceOpenClaw || e.owner != owner || e.tool.Name != name {
		return nil // ids are not escaped, so another owner and name can have the same one
	}
	return e
}

// member walks a path of keys and indexes.
func (n *namespace) member(path []string) *protocol.Node {
	at := &n.wire.Scope
	for _, step := range path {
		var next *protocol.Node
		switch at.Kind {
		case protocol.NodeObject:
			for i := range at.Entries {
				if at.Entries[i].Key == step {
					next = &at.Entries[i].Node // of a key that is there twice the later counts, as in guest code
				}
			}
		case protocol.NodeArray:
			if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(at.Items) && strconv.Itoa(i) == step {
				next = &at.Items[i]
			}
		}
		if next == nil {
			return nil
		}
		at = next
	}
	return at
}

func nodeBytes(n *protocol.Node) int {
	total := 128 + 2*len(n.Value) + len(n.ToolName)
	for i := range n.Entries {
		total += len(n.Entries[i].Key) + nodeBytes(&n.Entries[i].Node)
	}
	for i := range n.Items {
		total += nodeBytes(&n.Items[i])
	}
	return total
}

// appendNode writes a node as it is on the wire, lists included where they are empty.
func appendNode(b []byte, n *protocol.Node) []byte {
	b = append(b, `{"kind":"`...)
	b = append(b, n.Kind...)
	switch n.Kind {
	case protocol.NodeObject:
		b = append(b, `","entries":[`...)
		for i := range n.Entries {
			if i > 0 {
				b = append(b, ',')
			}
			b = ordered.AppendString(append(b, '['), n.Entries[i].Key)
			b = append(appendNode(append(b, ','), &n.Entries[i].Node), ']')
		}
		b = append(b, ']')
	case protocol.NodeArray:
		b = append(b, `","items":[`...)
		for i := range n.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendNode(b, &n.Items[i])
		}
		b = append(b, ']')
	case protocol.NodeFunction:
		b = ordered.AppendString(append(b, `","toolName":`...), n.ToolName)
		if n.Params != nil {
			b = appendStrings(append(b, `,"params":`...), n.Params)
		}
	case protocol.NodeValue:
		value := ordered.Compact(n.Value)
		if len(value) == 0 {
			value = []byte("null")
		}
		b = append(append(b, `","value":`...), value...)
	}
	return append(b, '}')
}

func appendStrings(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = ordered.AppendString(b, s)
	}
	return append(b, ']')
}
