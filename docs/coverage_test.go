// Package docs_test checks what the documents say about the code.
package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"codemode/conformance"
)

var (
	proof  = regexp.MustCompile("`([^`]+)`")
	goTest = regexp.MustCompile(`^([a-z]+(?:/[a-z]+)*)\.((?:Test|Fuzz|Example)\w*)(?:/(.+))?$`)
)

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestContractCoverage: each line of the contract's checklist is in contract-coverage.md, in order and with
// its sections, and each test and conformance case that is named there exists.
func TestContractCoverage(t *testing.T) {
	t.Parallel()
	want := strings.Split(strings.TrimSpace(read(t, "testdata/checklist.txt")), "\n")
	cases := caseNames(t)
	packages := map[string]*testPackage{}
	_, table, found := strings.Cut(read(t, "contract-coverage.md"), "|---|---|---|\n")
	if !found {
		t.Fatal("contract-coverage.md has no table")
	}
	rows := strings.Split(strings.TrimSpace(table), "\n")
	if len(rows) != len(want) {
		t.Errorf("the table has %d rows, the checklist %d", len(rows), len(want))
	}
	for i, row := range rows {
		columns := strings.Split(strings.Trim(row, "| "), " | ")
		if len(columns) != 3 {
			t.Errorf("row %d has %d columns", i+1, len(columns))
			continue
		}
		if got := columns[0] + " | " + columns[1]; i < len(want) && got != want[i] {
			t.Errorf("row %d is %q, the checklist has %q", i+1, got, want[i])
		}
		names := proof.FindAllStringSubmatch(columns[2], -1)
		if len(names) == 0 {
			t.Errorf("row %d: nothing proves %q", i+1, columns[0])
		}
		for _, name := range names {
			m := goTest.FindStringSubmatch(name[1])
			if m == nil {
				if !cases[name[1]] {
					t.Errorf("row %d: there is no conformance case %s", i+1, name[1])
				}
				continue
			}
			if packages[m[1]] == nil {
				packages[m[1]] = readTests(t, m[1])
			}
			if p := packages[m[1]]; !p.tests[m[2]] || m[3] != "" && !p.texts[m[3]] {
				t.Errorf("row %d: there is no test %s", i+1, name[1])
			}
		}
	}
}

func caseNames(t *testing.T) map[string]bool {
	t.Helper()
	cases, err := conformance.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, c := range cases {
		names[c.Name] = true
	}
	return names
}

// testPackage is what the test files of a package declare: functions, and the texts that name subtests.
type testPackage struct{ tests, texts map[string]bool }

func readTests(t *testing.T, dir string) *testPackage {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(dir), "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("package %s has no tests (%v)", dir, err)
	}
	p := &testPackage{map[string]bool{}, map[string]bool{}}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				p.tests[n.Name.Name] = n.Recv == nil || p.tests[n.Name.Name]
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
					p.texts[text] = true
				}
			}
			return true
		})
	}
	return p
}

// TestOperatorsAreTold: contract 2.4 asks for this advice.
func TestOperatorsAreTold(t *testing.T) {
	t.Parallel()
	if !strings.Contains(read(t, "cells.md"), "`tools.sandbox.tools.alsoAllow: [\"bundle-mcp\"]`") {
		t.Error("cells.md does not say that sandboxed agents need the MCP plugin allowed")
	}
}
