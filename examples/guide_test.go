package examples_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// unindented takes the indentation off every line, so that a part of a program can be found in it.
func unindented(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "\n")
}

// TestGuideShowsTheProgram finds the Python parts of docs/protocol.md in the program they are taken from.
func TestGuideShowsTheProgram(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("gateway-python/gateway.py")
	if err != nil {
		t.Fatal(err)
	}
	parts := regexp.MustCompile("(?s)```python\n(.*?)```").FindAllStringSubmatch(string(guide), -1)
	if len(parts) < 5 {
		t.Fatalf("%d parts of a program", len(parts))
	}
	for _, part := range parts {
		if !strings.Contains(unindented(string(program)), unindented(part[1])) {
			t.Errorf("not in gateway.py:\n%s", part[1])
		}
	}
}

// TestProgramsAreShort keeps the examples what they are for: to show how little it takes.
func TestProgramsAreShort(t *testing.T) {
	t.Parallel()
	for name, line := range programs {
		text, err := os.ReadFile(line[len(line)-1])
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "\n"); n >= 150 {
			t.Errorf("%s has %d lines, want less than 150", name, n)
		}
	}
}
