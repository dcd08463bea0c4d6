package catalog

import (
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"codemode/protocol"
)

// Object is a scope whose keys keep their order. Maps with string keys do as well; theirs are sorted.
type Object []Field

// Field is one key of an Object.
type Field struct {
	Key   string
	Value any
}

// ToolMark stands for a callable member; NewNamespaceTool makes one.
type ToolMark struct {
	toolName string
	params   []string
}

// NewNamespaceTool makes the mark of a member that calls a catalogue tool. With params, positional
// arguments are put under these keys; without, the first argument is the input (contract 8.5).
func NewNamespaceTool(toolName string, params ...string) (ToolMark, error) {
	if blank(toolName) {
		return ToolMark{}, errNoToolName
	}
	return ToolMark{toolName, slices.Clone(params)}, nil
}

// serialiseScope makes the wire form of what CreateScope gave (contract 8.5).
func serialiseScope(id string, scope any) (protocol.Node, error) {
	s := serialiser{open: map[uintptr]bool{}}
	node, err := s.node(scope)
	if err != nil {
		return node, err
	}
	if node.Kind != protocol.NodeObject {
		return node, scopeNoObject(id)
	}
	return node, nil
}

type serialiser struct {
	path []string
	open map[uintptr]bool // lists and maps the walk is inside of
}

func (s *serialiser) place() string {
	if len(s.path) == 0 {
		return "(root)"
	}
	return strings.Join(s.path, ".")
}

func (s *serialiser) node(v any) (protocol.Node, error) {
	if len(s.path) > maxScopeDepth {
		return protocol.Node{}, errScopeDepth
	}
	switch v := v.(type) {
	case nil:
		return leaf("null"), nil
	case ToolMark:
		if v.toolName == "" {
			return protocol.Node{}, errNoToolName
		}
		return protocol.Node{Kind: protocol.NodeFunction, ToolName: v.toolName, Params: v.params}, nil
	case Object:
		return s.inside(reflect.ValueOf(v), func() (protocol.Node, error) { return s.object(v) })
	case json.RawMessage, json.Marshaler, error, float32, float64, *big.Int:
		return jsonLeaf(v), nil
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Func:
		return protocol.Node{}, rejection("Code mode namespace function at " + s.place() + " must be created with createCodeModeNamespaceTool.")
	case reflect.Pointer, reflect.Interface:
		if r.IsNil() {
			return leaf("null"), nil
		}
		return s.inside(r, func() (protocol.Node, error) { return s.node(r.Elem().Interface()) })
	case reflect.Map:
		if r.Type().Key().Kind() != reflect.String {
			return jsonLeaf(v), nil
		}
		return s.inside(r, func() (protocol.Node, error) { return s.object(sortedFields(r)) })
	case reflect.Slice, reflect.Array:
		return s.inside(r, func() (protocol.Node, error) { return s.array(r) })
	}
	return jsonLeaf(v), nil
}

// inside guards against a value that contains itself; one that is merely used twice is fine.
func (s *serialiser) inside(r reflect.Value, walk func() (protocol.Node, error)) (protocol.Node, error) {
	if k := r.Kind(); k == reflect.Array || k != reflect.Pointer && r.Len() == 0 {
		return walk()
	}
	at := r.Pointer()
	if s.open[at] {
		return protocol.Node{}, rejection("Circular code mode namespace scope at " + s.place() + ".")
	}
	s.open[at] = true
	defer delete(s.open, at)
	return walk()
}

func sortedFields(r reflect.Value) Object {
	fields := make(Object, 0, r.Len())
	for it := r.MapRange(); it.Next(); {
		fields = append(fields, Field{it.Key().String(), it.Value().Interface()})
	}
	slices.SortFunc(fields, func(a, b Field) int { return strings.Compare(a.Key, b.Key) })
	return fields
}

func (s *serialiser) object(fields Object) (protocol.Node, error) {
	node := protocol.Node{Kind: protocol.NodeObject}
	for _, f := range fields {
		if err := checkSegment(f.Key); err != nil {
			return node, err
		}
		inner, err := s.step(f.Key, f.Value)
		if err != nil {
			return node, err
		}
		node.Entries = append(node.Entries, protocol.NodeEntry{Key: f.Key, Node: inner})
	}
	return node, nil
}

func (s *serialiser) array(r reflect.Value) (protocol.Node, error) {
	node := protocol.Node{Kind: protocol.NodeArray}
	for i := range r.Len() {
		inner, err := s.step(strconv.Itoa(i), r.Index(i).Interface())
		if err != nil {
			return node, err
		}
		node.Items = append(node.Items, inner)
	}
	return node, nil
}

func (s *serialiser) step(key string, v any) (protocol.Node, error) {
	s.path = append(s.path, key)
	node, err := s.node(v)
	s.path = s.path[:len(s.path)-1]
	return node, err
}

func leaf(text string) protocol.Node {
	return protocol.Node{Kind: protocol.NodeValue, Value: json.RawMessage(text)}
}

// jsonLeaf makes any other value JSON-safe, in the spirit of contract 5.12.
func jsonLeaf(v any) protocol.Node {
	switch x := v.(type) {
	case float32:
		return jsonLeaf(float64(x))
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return leaf("null")
		}
	case *big.Int:
		v = x.String()
	case json.Marshaler:
	case error:
		v = map[string]string{"name": "Error", "message": x.Error()}
	}
	text, err := protocol.Marshal(v)
	if err != nil {
		text, _ = protocol.Marshal("[Unserializable: " + err.Error() + "]") // a string cannot fail
	}
	return protocol.Node{Kind: protocol.NodeValue, Value: text}
}
