package vm

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

// TestResidentMemory measures what a guest that has used up its memory really takes of the process: at most
// its limit and 16 MB, with what the host holds for it.
func TestResidentMemory(t *testing.T) {
	t.Parallel()
	for kind, code := range map[string]string{
		"objects": `globalThis.a = []; try { for (;;) a.push({ n: a.length }); } catch {}`,
		"strings": `globalThis.a = []; try { for (let i = 0; ; i++) a.push('text ' + i); } catch {}`,
		"queries": `globalThis.a = []; const q = 'q'.repeat(1e5); for (let i = 0; i < 200; i++) tools.search(q);`,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			limits := testLimits()
			limits.MemoryBytes = 32 << 20
			peak := 0
			var v *VM
			host := loadFunc(func(string, string) (json.RawMessage, error) {
				n, err := resident(v.in.mem.whole)
				peak = n + int(v.in.mem.held)
				return json.RawMessage("[]"), err
			})
			v, err := testEngine(t).Start(host, limits)
			if err != nil {
				t.Fatal(err)
			}
			mem := v.in.mem
			turn, err := v.Run(Cell{Code: code + "\na.length = 0;\nreturn ALL_TOOLS.length"}, farDeadline())
			t.Logf("%d KB of a limit of %d KB (%v, %+v)", peak>>10, limits.MemoryBytes>>10, err, turn.Thrown)
			if peak < 16<<20 || peak > limits.MemoryBytes+16<<20 {
				t.Errorf("peak is %d bytes, want at most %d, and that memory was used", peak, limits.MemoryBytes+16<<20)
			}
			v.Close()
			if grown := mem.grown(); grown != (mem.whole == nil) {
				t.Errorf("memory has grown: %v, is unmapped: %v", grown, mem.whole == nil)
			}
		})
	}
}

// resident sums the resident bytes of the mappings inside a range of addresses.
func resident(memory []byte) (int, error) {
	from := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(memory))))
	to := from + uint64(len(memory))
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	total, inside := 0, false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		var a, b uint64
		if n, _ := fmt.Sscanf(line, "%x-%x ", &a, &b); n == 2 {
			inside = a >= from && b <= to
		} else if rest, ok := strings.CutPrefix(line, "Rss:"); ok && inside {
			kb, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				return 0, err
			}
			total += kb << 10
		}
	}
	return total, nil
}
