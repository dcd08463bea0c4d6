package source

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// MaxTypeScriptBytes bounds a TypeScript cell. The transform cannot be stopped, and what it does with text made up to be slow grows with the square of
// the size: seconds at this size. JavaScript cells have no such bound.
const MaxTypeScriptBytes = 128 << 10

// maxLegalComments bounds comments like /*! and @license, each of which the transform compares with all others.
const maxLegalComments = 64

const transformPrefix = "typescript transform failed: "

// transformSlots bounds the transforms that run at once, also those whose caller has gone away.
var transformSlots = make(chan struct{}, max(1, runtime.GOMAXPROCS(0)))

// transformed is the JavaScript made of a TypeScript cell.
type transformed struct {
	directives string // the directives that the cell begins with, if there are helpers
	helpers    string // functions of the transform that the cell needs, such as for decorators
	body       string // the cell (all of it if there are no helpers)
	lines      *LineMap
}

// code gives the whole cell. Directives stay first, else they would be none.
func (t *transformed) code() string { return t.directives + t.helpers + t.body }

// transform turns TypeScript into JavaScript. A text that cannot be transformed is an *Error of kind Transform; ctx bounds the wait.
func transform(ctx context.Context, code string) (*transformed, error) {
	if err := transformable(code); err != nil {
		return nil, err
	}
	select {
	case transformSlots <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("transform typescript: %w", ctx.Err())
	}
	type outcome struct {
		out *transformed
		err error
	}
	done := make(chan outcome, 1)
	go func() { // ends by itself; it holds its slot until then
		defer func() { <-transformSlots }()
		out, err := transformNow(code)
		done <- outcome{out, err}
	}()
	select {
	case got := <-done:
		return got.out, got.err
	case <-ctx.Done():
		return nil, fmt.Errorf("transform typescript: %w", ctx.Err())
	}
}

func transformable(code string) error {
	if len(code) > MaxTypeScriptBytes {
		return &Error{Transform, fmt.Sprintf("%ssource is %d bytes long, the limit is %d", transformPrefix, len(code), MaxTypeScriptBytes)}
	}
	tokens, _ := scan(code)
	if !measure(code, tokens).transformFits() {
		return &Error{Transform, transformPrefix + "source is nested too deeply or repeats itself too often"}
	}
	legal := 0
	for _, sign := range [...]string{"/*!", "//!", "@license", "@preserve", "@cc_on"} {
		legal += strings.Count(code, sign)
	}
	if legal > maxLegalComments {
		return &Error{Transform, fmt.Sprintf("%ssource has %d legal comments, the limit is %d", transformPrefix, legal, maxLegalComments)}
	}
	return nil
}

// transformNow tries the cell as what it is, the body of an async function. Namespaces, exported types and imports are only known at the top of a
// file, so a cell that seems to have some is then tried as a file.
func transformNow(code string) (*transformed, error) {
	wrapped := run("(async function() {\n" + code + "\n})")
	if len(wrapped.Errors) == 0 {
		return unwrap(wrapped)
	}
	if file, ret, ok := asFile(code); ok {
		if result := run(file); len(result.Errors) == 0 {
			return fromFile(result, ret)
		} else {
			return nil, diagnostics(result.Errors, 0, code)
		}
	}
	return nil, diagnostics(wrapped.Errors, 1, code)
}

// run transforms text. Where it had to rename functions to keep nested names apart, it does so again with code that sets their name property.
func run(text string) api.TransformResult {
	result := api.Transform(text, options(false))
	if len(result.Errors) == 0 && renamesFunctions(result) {
		return api.Transform(text, options(true))
	}
	return result
}

func options(keepNames bool) api.TransformOptions {
	return api.TransformOptions{
		Loader:         api.LoaderTS,
		Target:         api.ES2022,
		Platform:       api.PlatformNeutral,
		Charset:        api.CharsetUTF8,
		LegalComments:  api.LegalCommentsNone,
		TreeShaking:    api.TreeShakingFalse,
		KeepNames:      keepNames,
		Sourcemap:      api.SourceMapExternal,
		SourcesContent: api.SourcesContentExclude,
		Sourcefile:     "cell.ts",
		LogLevel:       api.LogLevelSilent,
		TsconfigRaw:    `{"compilerOptions":{"verbatimModuleSyntax":true}}`, // keeps unused imports
	}
}

// sourceMap is what is read of a source map.
type sourceMap struct {
	Mappings string   `json:"mappings"`
	Names    []string `json:"names"` // the original names of what was renamed
}

// renamesFunctions says whether the output seems to have a function or class under another name than it was given.
func renamesFunctions(result api.TransformResult) bool {
	var m sourceMap
	if err := json.Unmarshal(result.Map, &m); err != nil || len(m.Names) == 0 {
		return false
	}
	original := map[string]bool{}
	for _, n := range m.Names {
		original[n] = true
	}
	code := string(result.Code)
	tokens, _ := scan(code)
	for i, t := range tokens {
		if t.kind != identToken || !original[strings.TrimRight(t.text(code), "0123456789")] && !original[t.text(code)] {
			continue
		}
		if i > 0 && (tokens[i-1].is(code, "function") || tokens[i-1].is(code, "*") || tokens[i-1].is(code, "class")) {
			return true
		}
		if i+2 < len(tokens) && tokens[i+1].is(code, "=") && startsFunction(code, tokens[i+2:]) {
			return true
		}
	}
	return false
}

func startsFunction(code string, tokens []token) bool {
	t := tokens[0]
	return t.is(code, "function") || t.is(code, "class") || t.is(code, "async") || t.is(code, "(") || len(tokens) > 1 && tokens[1].is(code, "=>")
}

// The lines that hold the cell's body in the output of a wrapped cell.
const (
	wrapperHead      = "(async function() {\n"
	wrapperEmptyTail = "(async function() {\n});\n"
	wrapperTail      = "\n});\n"
)

// unwrap takes the body out of the output for a wrapped cell. What stands before the wrapper are helpers.
func unwrap(result api.TransformResult) (*transformed, error) {
	code := string(result.Code)
	start := wrapperStart(code)
	if start < 0 || !strings.HasSuffix(code, wrapperTail) && !strings.HasSuffix(code, wrapperEmptyTail) {
		return nil, &Error{Transform, transformPrefix + `Unexpected "}"`}
	}
	out := &transformed{helpers: code[:start]}
	if inner := code[start+len(wrapperHead):]; len(inner) > len(wrapperTail)-1 {
		out.body = strings.TrimSuffix(inner, wrapperTail)
	}
	helperLines := strings.Count(out.helpers, "\n")
	directiveLines := 0
	if out.helpers != "" {
		directiveLines = out.splitDirectives()
	}
	bodyLines := directiveLines + strings.Count(out.body, "\n") + 1
	lines, err := readMap(result, true, func(line int) (int, bool) {
		line -= helperLines + 1
		inside := line >= 0 && line < bodyLines
		if line >= directiveLines {
			line += helperLines
		}
		return line, inside
	})
	out.lines = lines
	return out, err
}

// wrapperStart finds the line on which the wrapper begins.
func wrapperStart(code string) int {
	if strings.HasPrefix(code, wrapperHead) {
		return 0
	}
	i := strings.Index(code, "\n"+wrapperHead)
	if i < 0 {
		return -1
	}
	return i + 1
}

// splitDirectives takes the directives off the body and gives the number of lines they stand on.
func (t *transformed) splitDirectives() int {
	n := 0
	for {
		line, rest, ok := strings.Cut(t.body, "\n")
		text := strings.TrimSpace(line)
		if !ok || len(text) < 3 || !isQuote(text[0]) || text[0] == '`' || !strings.HasSuffix(text, string(text[0])+";") {
			return n
		}
		t.directives += line + "\n"
		t.body = rest
		n++
	}
}

// fromFile takes the output for a cell that was written as a file.
func fromFile(result api.TransformResult, ret string) (*transformed, error) {
	code := strings.ReplaceAll(string(result.Code), "throw "+ret+", ", "return ")
	code = strings.ReplaceAll(code, "throw "+ret+";", "return;")
	if strings.Contains(code, ret) {
		return nil, &Error{Transform, transformPrefix + "source cannot be read as a file"}
	}
	lines, err := readMap(result, false, func(line int) (int, bool) { return line, true })
	return &transformed{body: code, lines: lines}, err
}

func readMap(result api.TransformResult, wrapped bool, place func(int) (int, bool)) (*LineMap, error) {
	var m sourceMap
	if err := json.Unmarshal(result.Map, &m); err != nil {
		return nil, fmt.Errorf("transform typescript: read source map: %w", err)
	}
	lines, err := decodeMappings(m.Mappings, wrapped, place)
	if err != nil {
		return nil, fmt.Errorf("transform typescript: %w", err)
	}
	return lines, nil
}

// asFile rewrites a cell with declarations that only a file can have. A file with await can have no return at its top, so each return becomes a throw of
// a name that occurs nowhere, which stands in the same places and is put back afterwards.
func asFile(code string) (file, ret string, ok bool) {
	tokens, _ := scan(code)
	var b strings.Builder
	ret = unusedName(code)
	from, depth := 0, 0
	for i, t := range tokens {
		switch {
		case t.is(code, "{"):
			depth++
		case t.is(code, "}"):
			depth--
		case t.kind == identToken && depth == 0 && fileKeywords[t.text(code)]:
			ok = true
		case t.is(code, "return") && isStatementReturn(code, tokens, i):
			b.WriteString(code[from:t.start])
			b.WriteString("throw " + ret)
			if returnsNothing(code, tokens, i) {
				b.WriteString(";")
			} else {
				b.WriteString(",")
			}
			from = t.end
		}
	}
	b.WriteString(code[from:])
	return b.String(), ret, ok
}

var fileKeywords = wordSet("namespace module global import export")

func returnsNothing(code string, tokens []token, i int) bool {
	if i+1 == len(tokens) {
		return true
	}
	next := tokens[i+1]
	return next.newline || next.is(code, ";") || next.is(code, "}")
}

// isStatementReturn tells the statement from a property or method called return.
func isStatementReturn(code string, tokens []token, i int) bool {
	if i > 0 && (tokens[i-1].is(code, ".") || tokens[i-1].is(code, "?.")) {
		return false
	}
	return i+1 == len(tokens) || !tokens[i+1].is(code, ":") && !tokens[i+1].is(code, "=")
}

func unusedName(code string) string {
	for i := 0; ; i++ {
		if name := "cellReturn" + strconv.Itoa(i) + "_"; !strings.Contains(code, name) {
			return name
		}
	}
}

// diagnostics makes the error of contract 4.7. Each message says its place in the submitted text, which begins skip lines into what was transformed.
func diagnostics(messages []api.Message, skip int, code string) *Error {
	const most = 20
	var b strings.Builder
	b.WriteString(transformPrefix)
	for i, m := range messages {
		if i > 0 {
			b.WriteByte('\n')
		}
		if i == most {
			fmt.Fprintf(&b, "and %d more", len(messages)-most)
			break
		}
		b.WriteString(m.Text)
		if at := m.Location; at != nil {
			line, column := at.Line-skip, at.Column+1
			if last := strings.Count(code, "\n") + 1; line > last {
				line, column = last, len(code)-strings.LastIndexByte(code, '\n')
			}
			fmt.Fprintf(&b, " (cell.ts:%d:%d)", max(line, 1), column)
		}
	}
	return &Error{Transform, b.String()}
}
