package source

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
)

func TestLineMapNil(t *testing.T) {
	t.Parallel()
	var m *LineMap
	if _, _, ok := m.Original(1, 1); ok {
		t.Error("a nil map knows a place")
	}
	if _, _, ok := (&LineMap{}).Original(1, 1); ok {
		t.Error("an empty map knows a place")
	}
	data, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if back, err := UnmarshalLineMap(data); err != nil || len(back.marks) != 0 {
		t.Errorf("got %v, %v", back, err)
	}
}

func TestLineMapOriginal(t *testing.T) {
	t.Parallel()
	m := &LineMap{marks: []mark{{1, 2, 4, 0}, {1, 10, 5, 3}, {3, 0, 7, 0}}}
	tests := []struct {
		line, column         int
		origLine, origColumn int
		ok                   bool
	}{
		{1, 1, 0, 0, false}, {0, 1, 0, 0, false}, {2, 0, 0, 0, false}, {2, 1, 0, 0, false},
		{2, 3, 5, 1, true}, {2, 5, 5, 3, true}, {2, 11, 6, 4, true}, {2, 15, 6, 8, true}, {3, 7, 6, 4, true}, {4, 1, 8, 1, true}, {4, 3, 8, 3, true},
	}
	for _, tt := range tests {
		line, column, ok := m.Original(tt.line, tt.column)
		if line != tt.origLine || column != tt.origColumn || ok != tt.ok {
			t.Errorf("%d:%d leads to %d:%d %v, want %d:%d %v", tt.line, tt.column, line, column, ok, tt.origLine, tt.origColumn, tt.ok)
		}
	}
}

func TestLineMapRoundTrip(t *testing.T) {
	t.Parallel()
	p := typescript(t, "function d(v: any, c: any) {}\n@d class A {\n  m(x: number): number {\n    return x\n  }\n}\nreturn A")
	data, err := p.Lines.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	back, err := UnmarshalLineMap(data)
	if err != nil || !reflect.DeepEqual(back, p.Lines) {
		t.Errorf("got %+v, %v, want %+v", back, err, p.Lines)
	}
	for n := range data {
		if _, err := UnmarshalLineMap(data[:n]); !errors.Is(err, ErrLineMap) {
			t.Errorf("the first %d of %d bytes: %v", n, len(data), err)
		}
	}
}

func TestUnmarshalLineMapRefuses(t *testing.T) {
	t.Parallel()
	for _, data := range [][]byte{
		nil, {2, 0}, {1}, {1, 0, 0}, {1, 1, 0, 0, 0}, {1, 2, 0, 0, 0, 0, 0, 0, 0, 0}, {1, 1, 0, 0, 1, 0}, {1, 1, 0, 0, 0, 1},
		{1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, {1, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0},
	} {
		if m, err := UnmarshalLineMap(data); !errors.Is(err, ErrLineMap) {
			t.Errorf("%v: %v, %v", data, m, err)
		}
	}
}

func TestDecodeMappingsRefusesDamage(t *testing.T) {
	t.Parallel()
	same := func(line int) (int, bool) { return line, true }
	for _, s := range []string{"A!", "g", "AAAg", "gggggggggggA"} {
		if _, err := decodeMappings(s, false, same); !errors.Is(err, ErrLineMap) {
			t.Errorf("%q: %v", s, err)
		}
	}
}

func FuzzUnmarshalLineMap(f *testing.F) {
	f.Add([]byte{1, 0})
	f.Add([]byte{1, 2, 0, 2, 8, 0, 1, 3, 2, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := UnmarshalLineMap(data)
		if err != nil {
			return
		}
		for line := range 5 {
			for column := range 5 {
				m.Original(line, column)
			}
		}
		again, _ := m.MarshalBinary()
		back, err := UnmarshalLineMap(again)
		if err != nil || !reflect.DeepEqual(m, back) {
			t.Fatalf("%v, then %v, %v", m, back, err)
		}
		if len(again) > len(data) || len(again) == len(data) && !bytes.Equal(again, data) && len(m.marks) == 0 {
			t.Fatalf("%x was written as %x", data, again)
		}
	})
}
