package gateway

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Redacted stands for the value of a field that is not shown.
const Redacted = "[redacted]"

// redact replaces the values of the named fields, whatever their case, at any depth, and keeps everything else as it
// is, key order included. What is no JSON is not shown at all.
func redact(data json.RawMessage, fields []string) json.RawMessage {
	if len(fields) == 0 || len(data) == 0 {
		return data
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var out bytes.Buffer
	r := redactor{dec: dec, out: &out, fields: fields}
	if r.walk() != nil {
		return text(Redacted)
	}
	return out.Bytes()
}

type redactor struct {
	dec    *json.Decoder
	out    *bytes.Buffer
	fields []string
}

// frame is an object or array that is open.
type frame struct {
	object bool
	n      int  // tokens in it so far
	hide   bool // the value that comes belongs to a hidden field
}

// walk copies token by token, without recursion: the depth is the sender's choice.
func (r *redactor) walk() error {
	var open []frame
	for {
		tok, err := r.dec.Token()
		if err != nil {
			return err
		}
		top := len(open) - 1
		if d, ok := tok.(json.Delim); ok && (d == '}' || d == ']') {
			r.out.WriteByte(byte(d))
			open = open[:top]
			if len(open) == 0 {
				return nil
			}
			continue
		}
		key := false
		if top >= 0 {
			key = r.separate(&open[top], tok)
			if !key && open[top].hide {
				open[top].hide = false
				if err := r.hide(tok); err != nil {
					return err
				}
				continue
			}
		}
		if d, ok := tok.(json.Delim); ok {
			r.out.WriteByte(byte(d))
			open = append(open, frame{object: d == '{'})
			continue
		}
		if err := r.write(tok); err != nil {
			return err
		}
		if key {
			open[top].hide = r.hidden(tok)
		}
		if len(open) == 0 {
			return nil
		}
	}
}

// separate writes what stands before a token, and reports whether the token is a key.
func (r *redactor) separate(f *frame, tok json.Token) (key bool) {
	key = f.object && f.n%2 == 0
	switch {
	case f.object && !key:
		r.out.WriteByte(':')
	case f.n > 0:
		r.out.WriteByte(',')
	}
	f.n++
	return key
}

func (r *redactor) hidden(tok json.Token) bool {
	name, ok := tok.(string)
	if !ok {
		return false
	}
	for _, f := range r.fields {
		if strings.EqualFold(f, name) {
			return true
		}
	}
	return false
}

// hide skips the value that begins with tok.
func (r *redactor) hide(tok json.Token) error {
	r.out.Write(text(Redacted))
	depth := 0
	for {
		if d, ok := tok.(json.Delim); ok {
			if d == '{' || d == '[' {
				depth++
			} else {
				depth--
			}
		}
		if depth == 0 {
			return nil
		}
		var err error
		if tok, err = r.dec.Token(); err != nil {
			return err
		}
	}
}

func (r *redactor) write(tok json.Token) error {
	switch v := tok.(type) {
	case string:
		r.out.Write(text(v))
		return nil
	case json.Number:
		r.out.WriteString(v.String())
		return nil
	default:
		data, err := json.Marshal(v)
		r.out.Write(data)
		return err
	}
}
