package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func readGuide(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(docs, "..", "protocol.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestGuideShowsValidMessages validates the examples of docs/protocol.md.
func TestGuideShowsValidMessages(t *testing.T) {
	t.Parallel()
	guide := readGuide(t)
	examples := regexp.MustCompile("(?s)<!-- message: ([a-z-]+) -->\n```json\n(.*?)```").FindAllStringSubmatch(guide, -1)
	if n := strings.Count(guide, "```json"); n != len(examples) || n < 10 {
		t.Errorf("%d of %d JSON examples name their message", len(examples), n)
	}
	for _, e := range examples {
		if err := validate(t, e[1], e[2]); err != nil {
			t.Errorf("%s: %v\n%s", e[1], err, e[2])
		}
	}
}

// TestGuideNamesEverything looks for each subject, field and value of the protocol in docs/protocol.md.
func TestGuideNamesEverything(t *testing.T) {
	t.Parallel()
	guide := readGuide(t)
	angle := strings.NewReplacer("{", "<", "}", ">")
	for method, list := range addresses() {
		for _, subject := range list {
			if subject = angle.Replace(subject); !strings.Contains(guide, "`"+subject+"`") {
				t.Errorf("the guide does not have %s (subjects.Names.%s)", subject, method)
			}
		}
	}
	words := map[string]bool{}
	for _, span := range regexp.MustCompile("(?s)```.*?```|`[^`\n]+`").FindAllString(guide, -1) {
		for _, word := range regexp.MustCompile(`[A-Za-z_]+`).FindAllString(span, -1) {
			words[word] = true
		}
	}
	src, err := readSource("../..")
	if err != nil {
		t.Fatal(err)
	}
	for typ, values := range src.values {
		for _, v := range values {
			if !words[v] {
				t.Errorf("the guide does not have %q, a %s", v, typ)
			}
		}
	}
	files, err := generate("../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		var tree any
		if err := json.Unmarshal(text, &tree); err != nil {
			t.Fatal(err)
		}
		for _, field := range properties(tree, nil) {
			if !words[field] {
				t.Errorf("the guide does not have the field %q of %s", field, name)
			}
		}
	}
}

// properties collects the names of all properties of a schema.
func properties(node any, found []string) []string {
	switch node := node.(type) {
	case []any:
		for _, e := range node {
			found = properties(e, found)
		}
	case map[string]any:
		for key, value := range node {
			if named, ok := value.(map[string]any); ok && key == "properties" {
				for name := range named {
					found = append(found, name)
				}
			}
			found = properties(value, found)
		}
	}
	return found
}
