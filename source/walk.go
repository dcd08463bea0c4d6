package source

import "github.com/tdewolff/parse/v2/js"

// The walk visits every expression of a cell with the scopes around it, and leaves out names that are no values: bindings, property names, labels.
// Its depth is bounded by that of the parser.

func (t *tree) block(b *js.BlockStmt) {
	if b == nil {
		return
	}
	t.inScope(&b.Scope, func() { t.stmts(b.List) })
}

func (t *tree) stmts(list []js.IStmt) {
	for _, s := range list {
		t.stmt(s)
	}
}

func (t *tree) stmt(s js.IStmt) {
	switch s := s.(type) {
	case *js.BlockStmt:
		t.block(s)
	case *js.ExprStmt:
		t.expr(s.Value)
	case *js.VarDecl:
		t.varDecl(s)
	case *js.IfStmt:
		t.expr(s.Cond)
		t.stmt(s.Body)
		t.stmt(s.Else)
	case *js.DoWhileStmt:
		t.stmt(s.Body)
		t.expr(s.Cond)
	case *js.WhileStmt:
		t.expr(s.Cond)
		t.stmt(s.Body)
	case *js.ForStmt:
		t.forStmt(s.Body, s.Init, s.Cond, s.Post)
	case *js.ForInStmt:
		t.forStmt(s.Body, s.Init, s.Value, nil)
	case *js.ForOfStmt:
		t.forStmt(s.Body, s.Init, s.Value, nil)
	case *js.SwitchStmt:
		t.switchStmt(s)
	case *js.ReturnStmt:
		t.expr(s.Value)
	case *js.WithStmt:
		t.expr(s.Cond)
		t.stmt(s.Body)
	case *js.LabelledStmt:
		t.stmt(s.Value)
	case *js.ThrowStmt:
		t.expr(s.Value)
	case *js.TryStmt:
		t.block(s.Body)
		if s.Catch != nil {
			t.inScope(&s.Catch.Scope, func() {
				t.binding(s.Binding)
				t.stmts(s.Catch.List)
			})
		}
		t.block(s.Finally)
	case *js.FuncDecl:
		t.function(s)
	case *js.ClassDecl:
		t.class(s)
	case *js.ImportStmt, *js.ExportStmt:
		t.loadsModules = true
	}
}

func (t *tree) forStmt(body *js.BlockStmt, init, cond, post js.IExpr) {
	t.inScope(&body.Scope, func() {
		t.expr(init)
		t.expr(cond)
		t.expr(post)
		t.stmts(body.List)
	})
}

func (t *tree) switchStmt(s *js.SwitchStmt) {
	t.expr(s.Init)
	t.inScope(&s.Scope, func() {
		for _, c := range s.List {
			t.expr(c.Cond)
			t.stmts(c.List)
		}
	})
}

func (t *tree) varDecl(d *js.VarDecl) {
	for i := range d.List {
		t.bindingElement(&d.List[i])
	}
}

func (t *tree) bindingElement(e *js.BindingElement) {
	t.binding(e.Binding)
	t.expr(e.Default)
}

func (t *tree) binding(b js.IBinding) {
	switch b := b.(type) {
	case *js.BindingArray:
		for i := range b.List {
			t.bindingElement(&b.List[i])
		}
		t.binding(b.Rest)
	case *js.BindingObject:
		for i := range b.List {
			if key := b.List[i].Key; key != nil {
				t.expr(key.Computed)
			}
			t.bindingElement(&b.List[i].Value)
		}
	}
}

func (t *tree) params(p *js.Params) {
	for i := range p.List {
		t.bindingElement(&p.List[i])
	}
	t.binding(p.Rest)
}

func (t *tree) body(params *js.Params, body *js.BlockStmt) {
	t.inScope(&body.Scope, func() {
		t.params(params)
		t.stmts(body.List)
	})
}

func (t *tree) function(f *js.FuncDecl) { t.body(&f.Params, &f.Body) }

func (t *tree) method(m *js.MethodDecl) {
	t.expr(m.Name.Computed)
	t.body(&m.Params, &m.Body)
}

func (t *tree) class(c *js.ClassDecl) {
	if c.Name != nil { // inside it, the name of a class expression is declared
		outer := t.declared
		t.declared |= loaderName(c.Name.Data)
		defer func() { t.declared = outer }()
	}
	t.expr(c.Extends)
	t.inScope(&c.Scope, func() {
		for i := range c.List {
			switch e := &c.List[i]; {
			case e.StaticBlock != nil:
				t.block(e.StaticBlock)
			case e.Method != nil:
				t.method(e.Method)
			default:
				t.expr(e.Field.Name.Computed)
				t.expr(e.Field.Init)
			}
		}
	})
}

func (t *tree) expr(e js.IExpr) {
	switch e := e.(type) {
	case *js.Var:
		t.identifier(e)
	case *js.LiteralExpr:
		t.literal(e)
	case *js.ImportMetaExpr:
		t.loadsModules = true
	case *js.BinaryExpr:
		t.binary(e)
	case *js.UnaryExpr:
		if _, ok := ungroup(e.X).(*js.Var); ok && e.Op == js.TypeofToken {
			return // typeof of a free name does not read it
		}
		t.expr(e.X)
	case *js.CondExpr:
		t.expr(e.Cond)
		t.expr(e.X)
		t.expr(e.Y)
	case *js.GroupExpr:
		t.expr(e.X)
	case *js.CommaExpr:
		for _, x := range e.List {
			t.expr(x)
		}
	case *js.DotExpr:
		if lit, ok := e.Y.(js.LiteralExpr); ok {
			t.member(e.X, identName(string(lit.Data)))
		} else if lit, ok := e.Y.(*js.LiteralExpr); ok {
			t.member(e.X, identName(string(lit.Data)))
		}
		t.expr(e.X)
	case *js.IndexExpr:
		t.member(e.X, stringValue(e.Y))
		t.expr(e.X)
		t.expr(e.Y)
	case *js.CallExpr:
		t.expr(e.X)
		t.args(&e.Args)
	case *js.NewExpr:
		t.expr(e.X)
		if e.Args != nil {
			t.args(e.Args)
		}
	case *js.YieldExpr:
		t.expr(e.X)
	case *js.VarDecl:
		t.varDecl(e)
	default:
		t.literalExpr(e)
	}
}

// literalExpr visits the expressions that make objects, functions and strings.
func (t *tree) literalExpr(e js.IExpr) {
	switch e := e.(type) {
	case *js.TemplateExpr:
		t.expr(e.Tag)
		for i := range e.List {
			t.expr(e.List[i].Expr)
		}
	case *js.ArrayExpr:
		for i := range e.List {
			t.expr(e.List[i].Value)
		}
	case *js.ObjectExpr:
		for i := range e.List {
			p := &e.List[i]
			if p.Name != nil {
				t.expr(p.Name.Computed)
			}
			t.expr(p.Value)
			t.expr(p.Init)
		}
	case *js.ArrowFunc:
		t.body(&e.Params, &e.Body)
	case *js.FuncDecl:
		t.function(e)
	case *js.ClassDecl:
		t.class(e)
	case *js.MethodDecl:
		t.method(e)
	}
}

// binary visits an operator. Assigning to a name does not use its value.
func (t *tree) binary(e *js.BinaryExpr) {
	if _, ok := ungroup(e.X).(*js.Var); !ok || e.Op != js.EqToken {
		t.expr(e.X)
	}
	t.expr(e.Y)
}

func (t *tree) args(a *js.Args) {
	for i := range a.List {
		t.expr(a.List[i].Value)
	}
}
