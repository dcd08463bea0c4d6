package main

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
)

// spoil puts a value at a dotted path of a JSON text, or takes away what is there.
func spoil(t *testing.T, text, path, value string) string {
	t.Helper()
	var root any
	if err := json.Unmarshal([]byte(text), &root); err != nil {
		t.Fatal(err)
	}
	var put any
	if value != "" {
		if err := json.Unmarshal([]byte(value), &put); err != nil {
			t.Fatal(err)
		}
	}
	steps := strings.Split(path, ".")
	at := root
	for _, step := range steps[:len(steps)-1] {
		switch node := at.(type) {
		case map[string]any:
			at = node[step]
		case []any:
			at = node[index(t, step)]
		}
	}
	switch node := at.(type) {
	case map[string]any:
		if value == "" {
			delete(node, steps[len(steps)-1])
		} else {
			node[steps[len(steps)-1]] = put
		}
	case []any:
		node[index(t, steps[len(steps)-1])] = put
	default:
		t.Fatalf("%s leads nowhere in %s", path, text)
	}
	out, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func index(t *testing.T, step string) int {
	t.Helper()
	i, err := strconv.Atoi(step)
	if err != nil {
		t.Fatal(err)
	}
	return i
}
