package main

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const docs = "../../../docs/protocol"

// compiled gives the committed schemas by the name of their message, with formats asserted.
var compiled = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	out := map[string]*jsonschema.Schema{}
	for _, m := range messages {
		text, err := os.ReadFile(filepath.Join(docs, fileName(m)))
		if err != nil {
			return nil, err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		if err := c.AddResource(fileName(m), doc); err != nil {
			return nil, err
		}
		if out[m.file], err = c.Compile(fileName(m)); err != nil {
			return nil, err
		}
	}
	return out, nil
})

func schemas(t testing.TB) map[string]*jsonschema.Schema {
	t.Helper()
	all, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// validate says what a message's schema finds wrong with a text.
func validate(t testing.TB, name, text string) error {
	t.Helper()
	s := schemas(t)[name]
	if s == nil {
		t.Fatalf("there is no schema %s", name)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
	if err != nil {
		return err
	}
	return s.Validate(value)
}
