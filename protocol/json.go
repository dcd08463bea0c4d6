package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Marshal gives compact JSON text without HTML escaping, as every message has it (contract, conventions).
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte{'\n'}), nil
}

var errNotUTF8 = errors.New("not valid UTF-8")

// decode reads one JSON object into v; unknown fields are ignored (protocol, preamble).
func decode(what string, data []byte, v any) error {
	if !utf8.Valid(data) {
		return fmt.Errorf("read %s: %w", what, errNotUTF8)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	return nil
}

// isNull reports whether raw is absent or the JSON value null.
func isNull(raw json.RawMessage) bool {
	return len(raw) == 0 || bytes.Equal(bytes.TrimSpace(raw), []byte("null"))
}

func isObject(raw json.RawMessage) bool {
	t := bytes.TrimSpace(raw)
	return len(t) > 0 && t[0] == '{'
}
