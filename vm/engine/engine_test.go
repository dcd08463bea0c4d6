package engine

import (
	"bytes"
	"errors"
	"testing"
)

func TestOnlyThePinnedModule(t *testing.T) {
	t.Parallel()
	data, err := Module()
	if err != nil || len(data) == 0 {
		t.Fatalf("embedded module: %d bytes, %v", len(data), err)
	}
	flipped := bytes.Clone(data)
	flipped[len(flipped)/2] ^= 1
	for name, bad := range map[string][]byte{"a flipped bit": flipped, "a cut file": data[:len(data)-1], "nothing": nil} {
		if err := check(bad); !errors.Is(err, ErrModule) {
			t.Errorf("%s: got %v, want ErrModule", name, err)
		}
	}
}
