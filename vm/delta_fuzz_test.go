package vm

import (
	"errors"
	"testing"
)

func FuzzDecodeDelta(f *testing.F) {
	good, _ := sampleState()
	f.Add(good)
	f.Add(withBody(uvarints(0, 1, 0, 1), 1, wasmPageSize))
	f.Add(withBody(nil, 0, 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, words, err := decodeDelta(data)
		if err != nil {
			if !errors.Is(err, ErrBadState) {
				t.Errorf("error %v does not wrap ErrBadState", err)
			}
			return
		}
		total, last := 0, -1
		for _, r := range d.runs {
			at := int(r.page)*pageWords + int(r.word)
			if at <= last || int(r.word)+int(r.words) > pageWords || r.page >= d.memory/pageSize {
				t.Fatalf("run %+v is out of order or bounds", r)
			}
			last = at + int(r.words) - 1
			total += int(r.words)
		}
		if len(words) != total*wordSize {
			t.Fatalf("%d bytes for %d words", len(words), total)
		}
	})
}

// FuzzDeltaBody makes the checksum fit, so that the table of runs is what is fuzzed.
func FuzzDeltaBody(f *testing.F) {
	f.Add(append(uvarints(0, 1, 0, 1), make([]byte, wordSize)...), uint32(1))
	f.Add(append(uvarints(1, 2, 0, 1, 5, 1), make([]byte, 2*wordSize)...), uint32(1))
	f.Fuzz(func(t *testing.T, body []byte, pages uint32) {
		d, words, err := decodeDelta(withBody(body, pages, 4*wasmPageSize))
		if err != nil {
			return
		}
		mem := plainMemory(make([]byte, wasmPageSize), 4*wasmPageSize)
		apply(mem, d, words)
	})
}

// FuzzDeltaRoundTrip freezes and restores any change of a memory.
func FuzzDeltaRoundTrip(f *testing.F) {
	f.Add([]byte{1, 0, 0, 255, 2, 16, 0, 1})
	f.Fuzz(func(t *testing.T, changes []byte) {
		want := sampleMemory()
		for ; len(changes) >= 4; changes = changes[4:] {
			at := (int(changes[0])<<16 | int(changes[1])<<8 | int(changes[2])) % len(want.whole)
			want.whole[at] ^= changes[3]
		}
		all := allPages(nil, len(want.base.image)/pageSize)
		d, words, err := decodeDelta(encodeDelta(delta{memory: uint32(want.size)}, want.dirty(all), want))
		if err != nil {
			t.Fatal(err)
		}
		got := plainMemory(want.base.image, int(want.size))
		apply(got, d, words)
		if diff := memoryDifference(got, want); diff != "" {
			t.Error(diff)
		}
	})
}
