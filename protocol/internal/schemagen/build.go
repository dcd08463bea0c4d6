package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

const dialect = "https://json-schema.org/draft/2020-12/schema"

// builder makes the schema of one message; types it meets on the way become definitions.
type builder struct {
	source *source
	fields map[string]func(*builder) *schema // by "Type.jsonName": what the Go type cannot say
	types  map[reflect.Type]func(*builder) *schema
	defs   members
	err    error
}

func (b *builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
}

// of gives the schema of a type, a reference where it has a name of its own.
func (b *builder) of(t reflect.Type) *schema {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return &schema{Type: "string", Format: "date-time"}
	case t == reflect.TypeFor[json.RawMessage]():
		return &schema{}
	case b.types[t] != nil:
		return b.define(t.Name(), func() *schema { return b.types[t](b) })
	}
	switch t.Kind() {
	case reflect.Pointer:
		return b.of(t.Elem())
	case reflect.Slice:
		return listOf(b.of(t.Elem()))
	case reflect.String:
		if t.Name() == "string" {
			return &schema{Type: "string"}
		}
		return b.define(t.Name(), func() *schema { return b.enumeration(t.Name()) })
	case reflect.Bool:
		return &schema{Type: "boolean"}
	case reflect.Int:
		return &schema{Type: "integer"}
	case reflect.Float64:
		return &schema{Type: "number"}
	case reflect.Struct:
		return b.define(t.Name(), func() *schema { return b.structure(t) })
	}
	b.fail("type %s has no schema", t)
	return &schema{}
}

// define makes a definition once and gives a reference to it. The place is taken before the schema is made,
// since types refer to themselves.
func (b *builder) define(name string, make func() *schema) *schema {
	ref := &schema{Ref: "#/$defs/" + name}
	if b.defs.find(name) != nil {
		return ref
	}
	i := len(b.defs)
	b.defs = append(b.defs, member{name, &schema{}})
	s := make()
	if s.Description == "" {
		s.Description = b.source.types[name]
	}
	b.defs[i].schema = s
	return ref
}

func (b *builder) enumeration(name string) *schema {
	values := b.source.values[name]
	if len(values) == 0 {
		b.fail("type %s has no constants", name)
	}
	return oneOfValues(values...)
}

// structure makes an object of a struct. A field is required unless it is left out when empty. Objects are
// open: unknown fields are ignored (protocol, preamble).
func (b *builder) structure(t reflect.Type, only ...string) *schema {
	s := &schema{Type: "object", Description: b.source.types[t.Name()]}
	for i := range t.NumField() {
		field := t.Field(i)
		name, option, _ := strings.Cut(field.Tag.Get("json"), ",")
		if len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		if name == "" {
			b.fail("field %s.%s has no name on the wire", t.Name(), field.Name)
			continue
		}
		var p *schema
		if special := b.fields[t.Name()+"."+name]; special != nil {
			p = special(b)
		} else if special := b.fields["*."+name]; special != nil {
			p = special(b)
		} else {
			p = b.of(field.Type)
		}
		if p.Description == "" {
			p.Description = b.source.fields[t.Name()+"."+field.Name]
		}
		s.Properties = append(s.Properties, member{name, p})
		if option != "omitempty" {
			s.Required = append(s.Required, name)
		}
	}
	return s
}

// finish makes a whole document of a message's schema. A root that is a definition is put in its place.
func (b *builder) finish(m message, root *schema) (*schema, error) {
	if b.err != nil {
		return nil, fmt.Errorf("%s: %w", m.file, b.err)
	}
	if name, ok := strings.CutPrefix(root.Ref, "#/$defs/"); ok {
		root = b.defs.find(name)
		for i, d := range b.defs {
			if d.name == name {
				b.defs = append(b.defs[:i:i], b.defs[i+1:]...)
				break
			}
		}
	}
	doc := *root
	doc.Dialect, doc.ID, doc.Title, doc.Defs = dialect, "urn:codemode:protocol:1:"+m.file, m.title, b.defs
	if m.about != "" {
		doc.Description = m.about
	}
	return &doc, nil
}
