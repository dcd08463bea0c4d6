package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
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
		return fmt.Errorf("read %s: %w", what, withoutValues(err))
	}
	return nil
}

// withoutValues replaces errors whose text repeats what was read: errors are logged, values are not
// (contract 16.2).
func withoutValues(err error) error {
	var mismatch *json.UnmarshalTypeError
	var moment *time.ParseError
	switch {
	case errors.As(err, &mismatch):
		kind, _, _ := strings.Cut(mismatch.Value, " ")
		return fmt.Errorf("%s is a %s and must be of type %s", mismatch.Field, kind, mismatch.Type)
	case errors.As(err, &moment):
		return errors.New("a time is not in the form of RFC 3339")
	}
	return err
}

// isNull reports whether raw is absent or the JSON value null.
func isNull(raw json.RawMessage) bool {
	return len(raw) == 0 || bytes.Equal(bytes.TrimSpace(raw), []byte("null"))
}

func isObject(raw json.RawMessage) bool {
	t := bytes.TrimSpace(raw)
	return len(t) > 0 && t[0] == '{'
}
