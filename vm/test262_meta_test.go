package vm

import (
	"slices"
	"strings"
)

// suiteTest is a test file with what its metadata says.
type suiteTest struct {
	path     string // below test/
	code     string
	flags    []string
	includes []string
	features []string
	phase    string // of the error it must end with, "" for none
	kind     string
}

// absentFeatures are those that the guest must not have (contract 5.2).
var absentFeatures = []string{"Atomics", "Atomics.pause", "Atomics.waitAsync", "SharedArrayBuffer"}

// readSuiteTest reads the metadata between /*--- and ---*/: keys with a word, a list in brackets, an
// indented list, or indented keys.
func readSuiteTest(path, code string) suiteTest {
	test := suiteTest{path: path, code: code}
	_, meta, _ := strings.Cut(code, "/*---")
	meta, _, _ = strings.Cut(meta, "---*/")
	values := map[string][]string{}
	key := ""
	for _, line := range strings.Split(strings.ReplaceAll(meta, "\r", "\n"), "\n") {
		trimmed := strings.TrimSpace(line)
		name, rest, isKey := strings.Cut(trimmed, ":")
		switch {
		case trimmed == "":
		case isKey && line[0] != ' ' && line[0] != '\t':
			key = name
			values[key] = append(values[key], listItems(rest)...)
		default:
			values[key] = append(values[key], listItems(strings.TrimPrefix(trimmed, "- "))...)
		}
	}
	test.flags, test.includes, test.features = values["flags"], values["includes"], values["features"]
	for _, item := range values["negative"] {
		name, value, _ := strings.Cut(item, ":")
		switch strings.TrimSpace(name) {
		case "phase":
			test.phase = strings.TrimSpace(value)
		case "type":
			test.kind = strings.TrimSpace(value)
		}
	}
	return test
}

func listItems(text string) []string {
	var out []string
	for _, item := range strings.Split(strings.Trim(strings.TrimSpace(text), "[]{}"), ",") {
		if item = strings.TrimSpace(item); item != "" {
			out = append(out, item)
		}
	}
	return out
}

func (test suiteTest) has(flag string) bool { return slices.Contains(test.flags, flag) }

// leftOut reports whether a test needs what the guest does not have by contract.
func (test suiteTest) leftOut() bool {
	return test.has("module") || test.has("CanBlockIsTrue") || slices.ContainsFunc(test.features, func(f string) bool { return slices.Contains(absentFeatures, f) })
}

// modes gives the texts to run: as it is, in strict mode, or both.
func (test suiteTest) modes() []string {
	strict := "'use strict';\n" + test.code
	switch {
	case test.has("raw"), test.has("noStrict"):
		return []string{test.code}
	case test.has("onlyStrict"):
		return []string{strict}
	default:
		return []string{test.code, strict}
	}
}
