package catalog

import (
	"slices"
	"strings"

	"codemode/catalog/internal/ordered"
	"codemode/protocol"
)

// unknown is the hint of a schema about which nothing can be said (contract 6.5).
const unknown = "unknown"

// The bounds of contract 6.5.
const (
	maxInputHint  = 300
	maxOutputHint = 850
	maxPropName   = 128
	maxLiterals   = 8
	maxLiteralLen = 96
	maxVariants   = 4
)

// hintsOf gives the hints of a tool: input is at least "unknown", output is "" unless it is complete
// and comes from a trusted schema.
func hintsOf(t *protocol.Tool) (input, output string) {
	input = unknown
	if t.Source != protocol.SourceOpenClaw {
		return input, ""
	}
	if text, _ := (hinter{props: 16, depth: 4}).raw(t.Parameters); fits(text, maxInputHint) {
		input = text
	}
	if text, complete := (hinter{props: 20, depth: 6}).raw(t.OutputSchema); complete && fits(text, maxOutputHint) {
		output = text
	}
	return input, output
}

func fits(text string, limit int) bool {
	return len(text) <= limit || len(text) <= 3*limit && characters(text) <= limit
}

// hinter renders a schema as a TypeScript-like type. Its bounds are those of one object and of nesting.
// The boolean that goes with a text says whether the text is complete.
type hinter struct{ props, depth int }

func (h hinter) raw(schema []byte) (string, bool) {
	if len(schema) == 0 {
		return unknown, false
	}
	v, err := ordered.Parse(schema)
	if err != nil {
		return unknown, false
	}
	return h.schema(&v, 0)
}

// incompleteKeys are keywords a hint does not show: the text stays, but does not say all.
var incompleteKeys = set(`$ref $dynamicRef $recursiveRef allOf patternProperties unevaluatedProperties dependentSchemas
	dependencies if then else prefixItems unevaluatedItems`)

func (h hinter) schema(v *ordered.Value, depth int) (string, bool) {
	switch {
	case v.Kind != ordered.Object:
		return unknown, false
	case len(v.Members) == 0:
		return unknown, true
	case depth >= h.depth:
		return unknown, false
	}
	nullable, ok := nullability(v)
	if !ok {
		return unknown, false
	}
	text, complete := h.form(v, depth)
	for i := range v.Members {
		if incompleteKeys[v.Members[i].Key] {
			complete = false
		}
	}
	if nullable && text != unknown && !strings.HasSuffix(" | "+text, " | null") {
		text += " | null"
	}
	return text, complete
}

// nullability reads the keyword nullable; ok is false where it makes the schema unreadable.
func nullability(v *ordered.Value) (nullable, ok bool) {
	n := v.Get("nullable")
	if n.Kind == ordered.Absent {
		return false, true
	}
	_, typed := typeNames(v.Get("type"))
	return n.True, n.Kind == ordered.Bool && typed
}

// typeNames reads the keyword type: a string, or a list of strings.
func typeNames(v *ordered.Value) ([]string, bool) {
	switch v.Kind {
	case ordered.String:
		return []string{v.Str}, true
	case ordered.Array:
		names := make([]string, len(v.Items))
		for i := range v.Items {
			if v.Items[i].Kind != ordered.String {
				return nil, false
			}
			names[i] = v.Items[i].Str
		}
		return names, true
	}
	return nil, false
}

// form applies rules 3 to 7 and 9.
func (h hinter) form(v *ordered.Value, depth int) (string, bool) {
	anyOf, oneOf := v.Get("anyOf"), v.Get("oneOf")
	switch {
	case anyOf.Kind != ordered.Absent && oneOf.Kind != ordered.Absent:
		return unknown, false
	case anyOf.Kind != ordered.Absent:
		return h.union(v, anyOf, depth)
	case oneOf.Kind != ordered.Absent:
		return h.union(v, oneOf, depth)
	}
	if c := v.Get("const"); c.Kind != ordered.Absent {
		return ordered.Literal(c), true
	}
	if e := v.Get("enum"); e.Kind == ordered.Array {
		values := make([]*ordered.Value, len(e.Items))
		for i := range e.Items {
			values[i] = &e.Items[i]
		}
		if text, ok := literals(values); ok {
			return text, true
		}
	}
	names, ok := typeNames(v.Get("type"))
	if !ok || len(names) == 0 || len(names) > maxVariants {
		return unknown, false
	}
	if v.Get("type").Kind == ordered.String {
		return h.typed(v, names[0], depth)
	}
	texts := make([]string, len(names))
	for i, name := range names {
		text, complete := h.typed(v, name, depth)
		if !complete {
			return unknown, false
		}
		texts[i] = text
	}
	return joinDistinct(texts), true
}

func (h hinter) union(v, variants *ordered.Value, depth int) (string, bool) {
	if variants.Kind != ordered.Array || len(variants.Items) == 0 || len(variants.Items) > 8 {
		return unknown, false
	}
	for _, key := range []string{"const", "enum", "type", "properties", "required", "additionalProperties", "items"} {
		if v.Has(key) {
			return unknown, false
		}
	}
	var consts []*ordered.Value
	texts := make([]string, len(variants.Items))
	all := true
	for i := range variants.Items {
		item := &variants.Items[i]
		text, complete := h.schema(item, depth+1)
		texts[i] = text
		all = all && complete
		if c := item.Get("const"); c.Kind != ordered.Absent {
			consts = append(consts, c)
		}
	}
	if !all {
		return unknown, false
	}
	if len(consts) == len(texts) {
		if text, ok := literals(consts); ok {
			return text, true
		}
		return unknown, false
	}
	if len(texts) > maxVariants {
		return unknown, false
	}
	return joinDistinct(texts), true
}

// literals joins JSON literals, if they are within the bound of a literal union.
func literals(values []*ordered.Value) (string, bool) {
	if len(values) == 0 || len(values) > maxLiterals {
		return "", false
	}
	texts := make([]string, len(values))
	for i, v := range values {
		if len(v.Raw) > 6*maxLiteralLen { // no escape is longer than six bytes
			return "", false
		}
		texts[i] = ordered.Literal(v)
	}
	text := joinDistinct(texts)
	return text, characters(text) <= maxLiteralLen
}

func joinDistinct(texts []string) string {
	distinct := texts[:0:0]
	for _, t := range texts {
		if !slices.Contains(distinct, t) {
			distinct = append(distinct, t)
		}
	}
	return strings.Join(distinct, " | ")
}

func (h hinter) typed(v *ordered.Value, name string, depth int) (string, bool) {
	switch name {
	case "integer", "number":
		return "number", true
	case "string", "boolean", "null":
		return name, true
	case "array":
		text, complete := h.schema(v.Get("items"), depth+1)
		return "Array<" + text + ">", complete
	case "object":
		return h.object(v, depth)
	}
	return unknown, false
}

// object applies rule 9.
func (h hinter) object(v *ordered.Value, depth int) (string, bool) {
	const open = "{ ... }"
	closed := v.Get("additionalProperties").Is(false)
	required := stringSet(v.Get("required"))
	props := v.Get("properties")
	if props.Kind != ordered.Object && props.Kind != ordered.Absent {
		return open, false
	}
	if len(props.Members) == 0 {
		if closed && len(required) == 0 {
			return "{}", true
		}
		return open, false
	}
	var first, then []*ordered.Member
	for i := range props.Members {
		m := &props.Members[i]
		if len(m.Key) > maxPropName && characters(m.Key) > maxPropName {
			return open, false
		}
		if required[m.Key] {
			first = append(first, m)
		} else {
			then = append(then, m)
		}
	}
	dropped := len(first) < len(required) // a required key that no property describes
	byKey := func(a, b *ordered.Member) int { return strings.Compare(a.Key, b.Key) }
	slices.SortFunc(first, byKey)
	slices.SortFunc(then, byKey)
	members := append(first, then...)
	if len(members) > h.props {
		members, dropped = members[:h.props], true
	}
	complete := closed && !dropped
	parts := make([]string, 0, len(members)+1)
	for _, m := range members {
		text, ok := h.schema(&m.Value, depth+1)
		complete = complete && ok
		parts = append(parts, propertyName(m.Key)+optionalMark(required[m.Key])+": "+text)
	}
	if dropped || !closed {
		parts = append(parts, "...")
	}
	return "{ " + strings.Join(parts, "; ") + " }", complete
}

func optionalMark(required bool) string {
	if required {
		return ""
	}
	return "?"
}

// propertyName writes a key of an object type: identifiers as they are, others quoted.
func propertyName(key string) string {
	if identifier(key) {
		return key
	}
	return ordered.Quote(key)
}

// stringSet reads a list of strings, as the keyword required has it; other items are passed over.
func stringSet(v *ordered.Value) map[string]bool {
	m := make(map[string]bool, len(v.Items))
	for i := range v.Items {
		if v.Items[i].Kind == ordered.String {
			m[v.Items[i].Str] = true
		}
	}
	return m
}
