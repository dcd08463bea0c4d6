package vm

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"time"
)

const leakSecret = "s3cr3t-of-another-tenant"

// leakCells put a secret wherever a guest can put one, and end in every way that keeps their VM.
var leakCells = map[string]string{
	"globals":     `globalThis.secret = S; var g = S; Object.prototype.secret = S; Array.prototype.secret = S; return 1`,
	"prototypes":  `for (const C of [Object, Array, Function, Promise, String, Map, RegExp, Error, Date]) { C[S] = S; C.prototype[S] = () => S; } return 1`,
	"registries":  `Symbol.for(S); new FinalizationRegistry(() => S).register({}, S); new WeakRef({ S }); return 1`,
	"strings":     `const a = []; for (let i = 0; i < 1000; i++) a.push(S + i, [...S].join(''), S.toUpperCase().toLowerCase(), S + '€'); return a.length`,
	"binary":      `globalThis.b = new TextEncoder().encode(S.repeat(100)); new DataView(b.buffer).setInt8(0, 1); return b.length`,
	"code":        `new Function('return "' + S + '"')(); eval('var x = "' + S + '"'); new RegExp(S).exec(S); return 1`,
	"caches":      `S.match(/(.*)/); new Date(S); Number(S); try { new URL('http://' + S + '/' + S) } catch {} return encodeURIComponent(S).length`,
	"output":      `text(S); console.log(S, [S]); return { [S]: S }`,
	"thrown":      `throw Object.assign(new Error(S), { S })`,
	"pending":     `tools.callValue('x', { S }); tools.search(S); setTimeout(() => S, 1, S); await new Promise(() => S)`,
	"answer":      `globalThis.kept = await tools.callValue('x'); return kept`,
	"microtasks":  `queueMicrotask(() => { globalThis.late = S; }); Promise.reject(new Error(S)); return 1`,
	"generators":  `globalThis.it = (function* () { yield S; yield S + 1; })(); it.next(); return 1`,
	"stack":       `const f = (n, s) => (n ? f(n - 1, s + n) : S); return f(300, S).length`,
	"dropped":     `let a = []; for (let i = 0; i < 3000; i++) a.push({ s: S + i }); a = null; return 1`,
	"tools names": `const n = tools[S]; try { await API.read(S) } catch {} return typeof n`,
	"random":      `for (let i = 0; i < 100; i++) Math.random(); globalThis.r = Math.random() + S; return 1`,
}

// TestNothingIsLeftForTheNextRun plants a secret and looks for it in the kept instance's whole memory and
// by a cell that looks everywhere.
func TestNothingIsLeftForTheNextRun(t *testing.T) {
	t.Parallel()
	shared := testEngine(t)
	for name, code := range leakCells {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := withOwnPool(shared)
			v, err := e.Start(leakHost{}, testLimits())
			if err != nil {
				t.Fatal(err)
			}
			deadline := time.Now().Add(time.Minute)
			turn, err := v.Run(Cell{Code: "const S = '" + leakSecret + "';\n" + code, Seed: [3]uint32{7, 7, 7}}, deadline)
			if err == nil && len(turn.Requests) > 0 {
				_, err = v.Settle(Settlement{ID: turn.Requests[0].ID, Remote: true, Value: json.RawMessage(`{"s":"` + leakSecret + `"}`)}, deadline)
			}
			if err != nil {
				t.Fatal(err)
			}
			in := v.in
			if !hasSecret(in.mem.bytes()) {
				t.Fatal("the secret is not in the memory of the cell that has it")
			}
			v.Close()
			if in.mem.whole == nil || len(e.pool.idle) != 1 {
				t.Fatal("instance was not kept")
			}
			if hasSecret(in.mem.bytes()) {
				t.Error("the secret is in the memory of a kept instance")
			}
			cleanCell(t, e)
			if err := e.pool.close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func hasSecret(mem []byte) bool {
	wide := make([]byte, 0, 2*len(leakSecret))
	for i := range len(leakSecret) {
		wide = append(wide, leakSecret[i], 0)
	}
	return bytes.Contains(mem, []byte(leakSecret)) || bytes.Contains(mem, wide)
}

type leakHost struct{}

func (leakHost) Load(kind, argument string) (json.RawMessage, error) {
	if kind == "tool" {
		return nil, nil
	}
	return nil, errors.New("Unknown API file: " + argument)
}

// A VM that failed is never used again, nor one whose memory has grown; their memory is unmapped.
func TestMemoryOfOthersIsGivenBack(t *testing.T) {
	t.Parallel()
	e := withOwnPool(testEngine(t))
	for code, fails := range map[string]bool{
		`for (;;);`: true,
		`globalThis.a = new Uint8Array(32 << 20).fill(1); return 1`: false,
	} {
		v, err := e.Start(noHost{}, testLimits())
		if err != nil {
			t.Fatal(err)
		}
		mem := v.in.mem
		if _, err := v.Run(Cell{Code: code}, time.Now().Add(time.Second)); (err != nil) != fails {
			t.Errorf("%s: ended with %v", code, err)
		}
		v.Close()
		if mem.whole != nil || len(e.pool.idle) != 0 {
			t.Errorf("%s: memory is still mapped, or the instance idle", code)
		}
	}
}
