package main

import (
	"bytes"
	"encoding/json"

	"codemode/protocol"
)

// schema is a JSON Schema (2020-12), as far as messages need it. The zero value takes everything.
type schema struct {
	Dialect     string    `json:"$schema,omitempty"`
	ID          string    `json:"$id,omitempty"`
	Ref         string    `json:"$ref,omitempty"`
	Title       string    `json:"title,omitempty"`
	Description string    `json:"description,omitempty"`
	Type        string    `json:"type,omitempty"`
	Const       any       `json:"const,omitempty"`
	Enum        []any     `json:"enum,omitempty"`
	Pattern     string    `json:"pattern,omitempty"`
	Format      string    `json:"format,omitempty"`
	MinLength   int       `json:"minLength,omitempty"`
	Minimum     *int      `json:"minimum,omitempty"`
	Default     any       `json:"default,omitempty"`
	Required    []string  `json:"required,omitempty"`
	Properties  members   `json:"properties,omitempty"`
	MinItems    int       `json:"minItems,omitempty"`
	MaxItems    int       `json:"maxItems,omitempty"`
	PrefixItems []*schema `json:"prefixItems,omitempty"`
	Items       *schema   `json:"items,omitempty"`
	If          *schema   `json:"if,omitempty"`
	Then        *schema   `json:"then,omitempty"`
	Else        *schema   `json:"else,omitempty"`
	AllOf       []*schema `json:"allOf,omitempty"`
	AnyOf       []*schema `json:"anyOf,omitempty"`
	OneOf       []*schema `json:"oneOf,omitempty"`
	Defs        members   `json:"$defs,omitempty"`
}

// member is a named schema.
type member struct {
	name   string
	schema *schema
}

// members keep their order.
type members []member

func (m members) find(name string) *schema {
	for _, e := range m {
		if e.name == name {
			return e.schema
		}
	}
	return nil
}

// MarshalJSON writes the members as an object.
func (m members) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, e := range m {
		if i > 0 {
			out.WriteByte(',')
		}
		for j, v := range []any{e.name, e.schema} {
			if j > 0 {
				out.WriteByte(':')
			}
			data, err := protocol.Marshal(v)
			if err != nil {
				return nil, err
			}
			out.Write(data)
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// text is the schema as it is written to its file.
func (s *schema) text() ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(s); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func object(required []string, properties ...member) *schema {
	return &schema{Type: "object", Required: required, Properties: properties}
}

func constant(v any) *schema { return &schema{Const: v} }

func listOf(items *schema) *schema { return &schema{Type: "array", Items: items} }

func oneOfValues[T any](values ...T) *schema {
	s := &schema{}
	for _, v := range values {
		s.Enum = append(s.Enum, v)
	}
	return s
}

// when applies then to objects whose member has one of the values.
func when(name string, values []any, then *schema) *schema {
	return &schema{
		If:   &schema{Required: []string{name}, Properties: members{{name, &schema{Enum: values}}}},
		Then: then,
	}
}
