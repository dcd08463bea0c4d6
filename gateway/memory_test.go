package gateway

import (
	"bytes"
	"strconv"
	"testing"
)

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	m := newMemory()
	for i := range 3 * memoryAnswers {
		m.put(strconv.Itoa(i), []byte("x"))
	}
	if len(m.answers) != memoryAnswers || m.get("0") != nil || m.get(strconv.Itoa(3*memoryAnswers-1)) == nil || len(m.order) > 3*memoryAnswers {
		t.Errorf("%d answers of small ones, %d in order", len(m.answers), len(m.order))
	}
	large := bytes.Repeat([]byte("x"), memoryBytes/16)
	for i := range 40 {
		m.put("l"+strconv.Itoa(i), large)
	}
	if m.bytes > memoryBytes || m.get("l39") == nil || m.get("l0") != nil {
		t.Errorf("%d bytes are kept", m.bytes)
	}
	m.put("huge", append(large, 'x'))
	if m.get("huge") != nil {
		t.Error("one that costs the memory of many is kept")
	}
}

func TestNextJobID(t *testing.T) {
	t.Parallel()
	long := string(bytes.Repeat([]byte("j"), 64))
	for in, want := range map[string]string{"j": "j-w1", "j-w1": "j-w2", "j-w9": "j-w10", "-w1": "-w1-w1", "j-wx": "j-wx-w1", "j-w0": "j-w0-w1"} {
		if got := nextJobID(in); got != want {
			t.Errorf("%s is followed by %s, want %s", in, got, want)
		}
	}
	if a, b := nextJobID(long), nextJobID(nextJobID(long)); len(a) > 64 || a[:32] != b[:32] || b[len(b)-3:] != "-w2" {
		t.Errorf("a long id is followed by %s, then %s", a, b)
	}
}
