package catalog

import (
	"encoding/json"
	"reflect"
	"strconv"
	"testing"

	"codemode/catalog/internal/ordered"
	"codemode/protocol"
)

// decode makes a catalogue of the JSON list of tools.
func decode(t testing.TB, tools string) *Catalog {
	t.Helper()
	c, err := Decode([]byte(`{"tools":` + tools + `}`))
	if err != nil {
		t.Fatalf("decode: %v", err)
	}
	return c
}

// view makes the view of a run with the JSON list of namespaces.
func view(t testing.TB, tools, namespaces string, swarm bool) *View {
	t.Helper()
	list, err := DecodeNamespaces(json.RawMessage(namespaces))
	if err != nil {
		t.Fatalf("decode namespaces: %v", err)
	}
	v, err := decode(t, tools).ForRun(list, swarm)
	if err != nil {
		t.Fatalf("for run: %v", err)
	}
	return v
}

func lookup(t testing.TB, c *Catalog, ref string) *Entry {
	t.Helper()
	e, err := c.Lookup(ref)
	if err != nil {
		t.Fatalf("lookup %s: %v", ref, err)
	}
	return e
}

// value reads JSON text for comparison.
func value(t testing.TB, text []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("not JSON: %v: %s", err, text)
	}
	return v
}

func sameJSON(t testing.TB, what string, got []byte, want string) {
	t.Helper()
	if !reflect.DeepEqual(value(t, got), value(t, []byte(want))) {
		t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %#v\nwant %#v", what, got, want)
	}
}

// message gives the text of an error, "" for none.
func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// refused checks that err ends a run before guest code starts, with that text.
func refused(t testing.TB, err error, want string) {
	t.Helper()
	perr, ok := err.(*protocol.Error)
	if !ok || perr.Detail != protocol.DetailInvalidInput || perr.Message != want {
		t.Errorf("error %#v, want invalid_input %q", err, want)
	}
}

func namesOf(entries []*Entry) []string {
	list := []string{}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func idsOf(entries []*Entry) []string {
	list := []string{}
	for _, e := range entries {
		list = append(list, e.ID())
	}
	return list
}

func mustRead(t testing.TB, v *View, path string) []byte {
	t.Helper()
	text, err := v.APIRead(path)
	if err != nil {
		t.Fatalf("read %s: %v", path, err)
	}
	return text
}

func quoted(s string) string { return ordered.Quote(s) }

func number(n int) string { return strconv.Itoa(n) }
