package source

import (
	"bytes"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// tree is the syntax tree of a cell as a function body, and what walking it found.
type tree struct {
	ast          *js.AST
	loadsModules bool // contract 4.6

	declared  loaderNames // what the scopes around the place of the walk declare
	badRegexp bool        // a regular expression has flags that do not exist: the text does not parse
}

// parseTree parses code as the body of an async function. It gives nil if the parser refuses the text, which does not mean that an engine
// does.
func parseTree(code string) (t *tree) {
	defer func() {
		if recover() != nil { // the parser is not ours; text it stumbles over is text it refuses
			t = nil
		}
	}()
	input := make([]byte, len(code), len(code)+1)
	copy(input, code)
	ast, err := js.Parse(parse.NewInputBytes(input), js.Options{Inline: true})
	if err != nil {
		return nil
	}
	t = &tree{ast: ast}
	t.block(&ast.BlockStmt)
	if t.badRegexp {
		return nil
	}
	return t
}

// first gives the first statement, nil if there is none.
func (t *tree) first() js.IStmt {
	for _, stmt := range t.ast.List {
		if _, ok := stmt.(*js.Comment); !ok {
			return stmt
		}
	}
	return nil
}

// declares says whether name is declared anywhere in the cell.
func (t *tree) declares(name string) bool {
	if name == "arguments" {
		return true // a cell is a function body
	}
	found := &declarationFinder{name: name}
	js.Walk(found, t.ast)
	return found.found
}

type declarationFinder struct {
	name  string
	found bool
}

func (f *declarationFinder) Enter(n js.INode) js.IVisitor {
	if f.found {
		return nil
	}
	switch n := n.(type) {
	case *js.BlockStmt:
		f.look(&n.Scope)
	case *js.SwitchStmt:
		f.look(&n.Scope)
	case *js.ClassDecl:
		if n.Name != nil && sameName(n.Name.Data, f.name) {
			f.found = true
		}
	}
	return f
}

func (f *declarationFinder) Exit(js.INode) {}

func (f *declarationFinder) look(s *js.Scope) {
	if scopeDeclares(s, f.name) {
		f.found = true
	}
}

func scopeDeclares(s *js.Scope, name string) bool {
	for _, v := range s.Declared {
		if v.Decl != js.NoDecl && v.Decl != js.PrivateDecl && sameName(v.Data, name) {
			return true
		}
	}
	return false
}

// sameName says whether the name written as data is name. Only a longer one can hold escapes.
func sameName(data []byte, name string) bool {
	if len(data) <= len(name) {
		return string(data) == name
	}
	return bytes.IndexByte(data, '\\') >= 0 && identName(string(data)) == name
}

// loaderNames is a set of names that load modules where nothing in the cell declares them.
type loaderNames uint8

const (
	requireName loaderNames = 1 << iota
	moduleName
	processName
)

func loaderName(data []byte) loaderNames {
	switch {
	case sameName(data, "require"):
		return requireName
	case sameName(data, "module"):
		return moduleName
	case sameName(data, "process"):
		return processName
	}
	return 0
}

// free says whether data is name and, at the place of the walk, means no declaration of the cell.
func (t *tree) free(data []byte, name loaderNames) bool {
	return t.declared&name == 0 && loaderName(data) == name
}

func (t *tree) inScope(s *js.Scope, visit func()) {
	outer := t.declared
	for _, v := range s.Declared {
		if v.Decl != js.NoDecl {
			t.declared |= loaderName(v.Data)
		}
	}
	visit()
	t.declared = outer
}

// identifier notes the use of a variable as a value.
func (t *tree) identifier(v *js.Var) {
	if t.free(v.Data, requireName) {
		t.loadsModules = true
	}
}

// member notes the member name of object.
func (t *tree) member(object js.IExpr, name string) {
	v, ok := ungroup(object).(*js.Var)
	if !ok {
		return
	}
	if name == "require" && t.free(v.Data, moduleName) || name == "getBuiltinModule" && t.free(v.Data, processName) {
		t.loadsModules = true
	}
}

func (t *tree) literal(lit *js.LiteralExpr) {
	switch lit.TokenType {
	case js.ImportToken:
		t.loadsModules = true
	case js.RegExpToken:
		if i := bytes.LastIndexByte(lit.Data, '/'); !validFlags(lit.Data[i+1:]) {
			t.badRegexp = true
		}
	}
}

// validFlags follows ECMAScript: each flag once, and not both u and v.
func validFlags(flags []byte) bool {
	seen := 0
	for _, f := range flags {
		i := strings.IndexByte("dgimsuvy", f)
		if i < 0 || seen&(1<<i) != 0 {
			return false
		}
		seen |= 1 << i
	}
	const both = 1<<5 | 1<<6
	return seen&both != both
}

func ungroup(e js.IExpr) js.IExpr {
	for {
		group, ok := e.(*js.GroupExpr)
		if !ok {
			return e
		}
		e = group.X
	}
}

// stringValue gives the value of a string literal without escapes, and of a template without interpolations.
func stringValue(e js.IExpr) string {
	switch e := ungroup(e).(type) {
	case *js.LiteralExpr:
		if e.TokenType == js.StringToken && len(e.Data) >= 2 {
			return string(e.Data[1 : len(e.Data)-1])
		}
	case *js.TemplateExpr:
		if e.Tag == nil && len(e.List) == 0 && len(e.Tail) >= 2 {
			return string(e.Tail[1 : len(e.Tail)-1])
		}
	}
	return ""
}
