package catalog

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"codemode/catalog/internal/ordered"
)

// The bounds of a declared output: compiling is not linear in the number of subschemas.
const (
	maxSchemaValues = 10_000
	maxSchemaDepth  = 256
	// A validation may visit this many schemas and, on top, so many per JSON value of details; schemas
	// that refer to themselves in several branches would otherwise cost exponential time.
	visitsBase     = 20_000
	visitsPerValue = 64
)

// outputSchema is a compiled outputSchema (contract 6.9).
type outputSchema struct {
	compiled *jsonschema.Schema
	mu       sync.Mutex
	visits   int // left in the validation that holds mu
}

var (
	errTooLarge = errors.New("schema is too large")
	errLeaves   = errors.New("a reference leaves the schema")
)

// outputURL is where a declared output pretends to be, so that references inside it have a base.
const outputURL = "codemode://output/schema"

// inside reports whether a subschema, if there is one, is part of the declared output. The library has
// the metaschemas built in and would follow a reference to one.
func inside(s *jsonschema.Schema) bool {
	return s == nil || strings.HasPrefix(s.Location, outputURL+"#")
}

// compileOutput compiles a schema: 2020-12 unless it names another draft, formats not asserted, nothing
// loaded.
func compileOutput(raw []byte) (*outputSchema, error) {
	tree, err := ordered.Parse(raw)
	if err != nil {
		return nil, err
	}
	if left := maxSchemaValues; !within(&tree, maxSchemaDepth, &left) {
		return nil, errTooLarge
	}
	var doc any // numbers as float64: a json.Number with a huge exponent would be written out in full
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, err
	}
	s := &outputSchema{}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(noLoader{})
	compiler.UseRegexpEngine(compilePattern)
	compiler.AssertVocabs()
	var schemas []*jsonschema.Schema
	compiler.RegisterVocabulary(&jsonschema.Vocabulary{
		URL: "codemode:every-schema",
		Compile: func(ctx *jsonschema.CompilerContext, _ map[string]any) (jsonschema.SchemaExt, error) {
			schemas = append(schemas, ctx.Enqueue(nil))
			return nil, nil
		},
	})
	if err := compiler.AddResource(outputURL, doc); err != nil {
		return nil, err
	}
	if s.compiled, err = compiler.Compile(outputURL); err != nil {
		return nil, err
	}
	// The format of a schema is looked at for every value, before its branches: a counter in its place
	// bounds the work and asserts no format in the drafts that would.
	for _, schema := range schemas {
		if !inside(schema) || !inside(schema.Ref) || !inside(schema.RecursiveRef) || schema.DynamicRef != nil && !inside(schema.DynamicRef.Ref) {
			return nil, errLeaves
		}
		schema.Format = &jsonschema.Format{Name: "visits", Validate: s.visit}
	}
	return s, nil
}

// within reports whether a value has at most *left values in all and is at most depth deep.
func within(v *ordered.Value, depth int, left *int) bool {
	if *left--; *left < 0 || depth < 0 {
		return false
	}
	for i := range v.Items {
		if !within(&v.Items[i], depth-1, left) {
			return false
		}
	}
	for i := range v.Members {
		if !within(&v.Members[i].Value, depth-1, left) {
			return false
		}
	}
	return true
}

type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errors.New("nothing is loaded") }

var unicodeEscape = regexp.MustCompile(`\\(\\|u([0-9a-fA-F]{4})|/)`)

// compilePattern compiles a pattern in the linear-time dialect, with the escapes that ECMA-262 has and
// it lacks.
func compilePattern(pattern string) (jsonschema.Regexp, error) {
	pattern = unicodeEscape.ReplaceAllStringFunc(pattern, func(m string) string {
		switch {
		case m == `\/`:
			return "/"
		case strings.HasPrefix(m, `\u`):
			return `\x{` + m[2:] + `}`
		}
		return m
	})
	return regexp.Compile(pattern)
}

var errVisits = errors.New("validation takes too long")

func (s *outputSchema) visit(any) error {
	if s.visits--; s.visits < 0 {
		panic(errVisits)
	}
	return nil
}

func (s *outputSchema) validate(details json.RawMessage) (err error) {
	var doc any
	if err := json.Unmarshal(details, &doc); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.visits = visitsBase + visitsPerValue*countValues(doc)
	defer func() {
		if r := recover(); r != nil {
			if r != any(errVisits) {
				panic(r)
			}
			err = errVisits
		}
	}()
	return s.compiled.Validate(doc)
}

func countValues(doc any) int {
	n := 1
	switch doc := doc.(type) {
	case []any:
		for _, item := range doc {
			n += countValues(item)
		}
	case map[string]any:
		for _, item := range doc {
			n += countValues(item)
		}
	}
	return n
}

// CompileOutput compiles the declared outputSchema, once; nil where the entry has none. It is called
// before the tool runs; the error text is the guest's rejection (contract 6.9).
func (e *Entry) CompileOutput() error {
	e.schemaOnce.Do(func() {
		if e.tool.OutputSchema == nil {
			return
		}
		schema, err := compileOutput(e.tool.OutputSchema)
		if err != nil {
			e.schemaErr = &outputError{e.id, "has an invalid outputSchema.", err}
			return
		}
		e.schema = schema
	})
	return e.schemaErr
}

// ValidateOutput checks the member "details" of a tool result, nil where it is missing, against the
// declared outputSchema, if there is one. The error text is the guest's rejection; the value is not in
// it (contract 6.9).
func (e *Entry) ValidateOutput(details json.RawMessage) error {
	if err := e.CompileOutput(); err != nil || e.schema == nil {
		return err
	}
	if details == nil {
		return e.mismatch(errors.New("details are missing"))
	}
	if err := e.schema.validate(details); err != nil {
		return e.mismatch(err)
	}
	return nil
}

func (e *Entry) mismatch(cause error) error {
	return &outputError{e.id, "returned details that do not match its declared outputSchema.", cause}
}

// outputError has a text for the guest and a cause that stays in the worker, since it can show values.
type outputError struct {
	id, problem string
	cause       error
}

func (e *outputError) Error() string { return `Tool "` + e.id + `" ` + e.problem }

// Unwrap gives the cause.
func (e *outputError) Unwrap() error { return e.cause }
