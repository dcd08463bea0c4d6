package wasm

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/tetratelabs/wazero/api"
)

// bulkFn is a function that does one memory.copy (or memory.fill, where src is the byte).
func bulkFn(sub byte, dst, src, n int64) []byte {
	var code []byte
	for _, v := range []int64{dst, src, n} {
		code = appendInt(append(code, opI32Const), v)
	}
	code = append(code, opPrefixFC, sub, 0)
	if sub == subMemoryCopy {
		code = append(code, 0)
	}
	return fn(append(code, opI32Const, 1, opEnd)...)
}

func TestBulkInstructions(t *testing.T) {
	t.Parallel()
	const piece, pages = bulkPiece, 32
	cases := []struct {
		sub         byte
		dst, src, n int64
	}{
		{subMemoryCopy, 100, 100000, 0},
		{subMemoryCopy, 100, 100000, 63},
		{subMemoryCopy, 100, 1 << 20, piece},
		{subMemoryCopy, 7, 1 << 20, 3*piece + 1},
		{subMemoryCopy, 0, 1, 4*piece - 1},
		{subMemoryCopy, 1, 0, 4 * piece},
		{subMemoryCopy, 5, 5, 2 * piece},
		{subMemoryCopy, piece + 3, 3, 5 * piece},
		{subMemoryCopy, 3, piece + 3, 5 * piece},
		{subMemoryFill, 9, 0x1ff, 0},
		{subMemoryFill, 9, 0x1ff, 100},
		{subMemoryFill, 9, 0x5a, piece},
		{subMemoryFill, 9, 0x15a, 3*piece + 5},
	}
	for _, c := range cases {
		t.Run(fmt.Sprintf("%d %d %d %d", c.sub, c.dst, c.src, c.n), func(t *testing.T) {
			t.Parallel()
			mod := load(t, mustRewrite(t, module(bulkFn(c.sub, c.dst, c.src, c.n))), func(fuel api.MutableGlobal) uint64 {
				fuel.Set(5000)
				return 0
			})
			if _, ok := mod.Memory().Grow(pages - 1); !ok {
				t.Fatal("memory does not grow")
			}
			mem, _ := mod.Memory().Read(0, pages*64<<10)
			for i := range mem {
				mem[i] = byte(i * 7 >> 3)
			}
			want := bytes.Clone(mem)
			if c.sub == subMemoryCopy {
				copy(want[c.dst:c.dst+c.n], want[c.src:c.src+c.n])
			} else {
				for i := c.dst; i < c.dst+c.n; i++ {
					want[i] = byte(c.src)
				}
			}
			if _, err := mod.ExportedFunction("a").Call(context.Background(), 0); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(mem, want) {
				t.Error("memory differs from what the instruction does")
			}
		})
	}
}

func TestBulkInstructionsCountFuel(t *testing.T) {
	t.Parallel()
	const n = 4 * bulkPiece
	for _, sub := range []byte{subMemoryCopy, subMemoryFill} {
		ticks := 0
		mod := load(t, mustRewrite(t, module(bulkFn(sub, 0, n, n), bulkFn(sub, 0, n, 63))), func(fuel api.MutableGlobal) uint64 {
			ticks++
			if f := fuel.Get(); f != 0 {
				t.Errorf("tick with %d fuel left, want 0", f)
			}
			fuel.Set(n >> bulkUnitShift)
			return uint64(ticks / 2)
		})
		if _, ok := mod.Memory().Grow(63); !ok {
			t.Fatal("memory does not grow")
		}
		fuel := mod.ExportedGlobal("fuel").(api.MutableGlobal)
		fuel.Set(2*bulkPiece>>bulkUnitShift + 1)
		if _, err := mod.ExportedFunction("a").Call(context.Background(), 0); err != nil {
			t.Fatal(err)
		}
		// Two pieces from what there was, a tick and a free piece, one more from the refill.
		if want := uint64(n-bulkPiece) >> bulkUnitShift; ticks != 1 || fuel.Get() != want {
			t.Errorf("instruction %d: %d ticks, %d fuel left; want 1, %d", sub, ticks, fuel.Get(), want)
		}
		if _, err := mod.ExportedFunction("b").Call(context.Background(), 0); err != nil || ticks != 1 {
			t.Errorf("instruction %d: a short one gave %v after %d ticks; want 1", sub, err, ticks)
		}
		fuel.Set(0)
		if _, err := mod.ExportedFunction("a").Call(context.Background(), 0); err == nil {
			t.Errorf("instruction %d went on after an interrupt", sub)
		}
	}
}
