package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
)

// source is what the text of package protocol says besides its types: comments, and the constants of its
// string types.
type source struct {
	types  map[string]string   // by type
	fields map[string]string   // by "Type.Field"
	values map[string][]string // by type
}

// readSource parses the package in a folder.
func readSource(dir string) (*source, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, fmt.Errorf("list package protocol: %w", err)
	}
	s := &source{types: map[string]string{}, fields: map[string]string{}, values: map[string][]string{}}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("parse package protocol: %w", err)
		}
		if err := s.file(file); err != nil {
			return nil, err
		}
	}
	if len(s.types) == 0 {
		return nil, fmt.Errorf("%s does not hold package protocol", dir)
	}
	return s, nil
}

func (s *source) file(file *ast.File) error {
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range gen.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				s.typeSpec(gen, spec)
			case *ast.ValueSpec:
				if err := s.valueSpec(spec); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (s *source) typeSpec(gen *ast.GenDecl, spec *ast.TypeSpec) {
	name := spec.Name.Name
	s.types[name] = comment(gen.Doc, spec.Doc)
	st, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, field := range st.Fields.List {
		for _, id := range field.Names {
			s.fields[name+"."+id.Name] = comment(field.Doc, field.Comment)
		}
	}
}

// valueSpec notes a constant that is written with its type and its value, as those of all enumerations are.
func (s *source) valueSpec(spec *ast.ValueSpec) error {
	typ, ok := spec.Type.(*ast.Ident)
	if !ok {
		return nil
	}
	for _, value := range spec.Values {
		lit, ok := value.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return fmt.Errorf("constant of type %s is not a string literal", typ.Name)
		}
		text, err := strconv.Unquote(lit.Value)
		if err != nil {
			return fmt.Errorf("constant of type %s: %w", typ.Name, err)
		}
		s.values[typ.Name] = append(s.values[typ.Name], text)
	}
	return nil
}

func comment(groups ...*ast.CommentGroup) string {
	for _, g := range groups {
		if text := strings.Join(strings.Fields(g.Text()), " "); text != "" {
			return text
		}
	}
	return ""
}
