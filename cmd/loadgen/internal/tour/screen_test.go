package tour

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestSpaced(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"a":1,"b":[1,2]}`:         `{"a": 1, "b": [1, 2]}`,
		`{"a:b":"x,y\",\\","c":""}`: `{"a:b": "x,y\",\\", "c": ""}`,
		``:                          ``,
	} {
		if got := spaced([]byte(in)); got != want {
			t.Errorf("spaced(%s) is %s, want %s", in, got, want)
		}
	}
}

func TestUnits(t *testing.T) {
	t.Parallel()
	for in, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1376284: "1,376,284"} {
		if got := count(in); got != want {
			t.Errorf("count(%d) is %s", in, got)
		}
	}
	for in, want := range map[time.Duration]string{1234 * time.Microsecond: "1.2 ms", 1234 * time.Millisecond: "1234 ms"} {
		if got := ms(in); got != want {
			t.Errorf("ms(%s) is %s", in, got)
		}
	}
}

// The lines that step 2 expects are looked up in the cell, so that the two cannot drift apart.
func TestTypeScriptCellHasItsErrorWhereTheStepExpectsIt(t *testing.T) {
	t.Parallel()
	all := lines(typeScriptCell.Code)
	if !strings.Contains(all[typeScriptLine-1], "customer!.name") || !strings.Contains(all[typeScriptCause-1], "orders.map(nameOf)") {
		t.Errorf("line %d is %q, line %d is %q", typeScriptLine, all[typeScriptLine-1], typeScriptCause, all[typeScriptCause-1])
	}
}

func TestNoColoursWithoutATerminal(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := newScreen(&out)
	s.heading(1, "x")
	s.source("a\nb\n")
	s.pointAt("a\nb\n", 2)
	s.figure("name", "%d", 1)
	want := "\n1. x\n\n     1  a\n     2  b\n\n   >  2  b\n\n   name                     1\n"
	if out.String() != want {
		t.Errorf("output %q, want %q", out.String(), want)
	}
}
