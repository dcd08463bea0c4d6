package vm

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// namedCell is a cell of the sample over which properties are checked.
type namedCell struct {
	name string
	cell Cell
}

// notSampled are cells that only a deadline ends, so that what they did until then is not repeatable, and
// some that compute for seconds.
var notSampled = map[string]bool{
	"abort/running": true, "limits/spin": true, "limits/microtask-spin": true, "limits/regex": true, "limits/native-loop": true,
	"limits/memory": true, "guest/testdata/web/decode-three-byte-sweep": true, "guest/testdata/web/decode-two-byte-sweep": true,
	"guest/testdata/web/decode-chunk-borders": true, "guest/testdata/web/encode-chunk-borders": true,
	"guest/testdata/web/decode-long": true, "guest/testdata/web/encode-long": true, "guest/testdata/web/clone-large": true,
}

// sampleCells gives the cells of the conformance set and the programs of this package's test data.
func sampleCells(tb testing.TB) []namedCell {
	tb.Helper()
	cells := conformanceCells(tb)
	for _, pattern := range []string{"testdata/programs/*.js", "testdata/language/*.js", "guest/testdata/web/*.js"} {
		for _, p := range sourceFiles(tb, pattern) {
			if notSampled[p.name] {
				continue
			}
			cells = append(cells, namedCell{p.name, Cell{Code: p.code, Seed: [3]uint32{1, 2, 3}}})
		}
	}
	return cells
}

type sourceFile struct{ name, code string }

func sourceFiles(tb testing.TB, pattern string) []sourceFile {
	tb.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		tb.Fatalf("no programs match %s: %v", pattern, err)
	}
	var out []sourceFile
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, sourceFile{strings.TrimSuffix(filepath.ToSlash(file), ".js"), string(data)})
	}
	return out
}

func conformanceCells(tb testing.TB) []namedCell {
	tb.Helper()
	files, err := filepath.Glob("../conformance/testdata/*.json")
	if err != nil || len(files) == 0 {
		tb.Fatalf("no conformance cases: %v", err)
	}
	var out []namedCell
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		var cases []struct {
			Name  string
			Steps []json.RawMessage
		}
		if err := json.Unmarshal(data, &cases); err != nil {
			tb.Fatalf("%s: %v", file, err)
		}
		for _, c := range cases {
			for i, step := range c.Steps {
				var s struct {
					Exec struct{ Code, Language string }
				}
				if json.Unmarshal(step, &s) != nil || s.Exec.Code == "" || notSampled[c.Name] {
					continue
				}
				out = append(out, namedCell{fmt.Sprintf("%s[%d]", c.Name, i), Cell{
					Code: s.Exec.Code, TypeScript: s.Exec.Language == "typescript", Globals: []string{"db"}, Swarm: strings.HasPrefix(c.Name, "swarm/")}})
			}
		}
	}
	return out
}

// fragments are pieces of which random cells are made. Each leaves v, list, map and log usable.
var fragments = []string{
	"v = (v * 31 + 7) % 1009;",
	"list.push({ v, s: 'item ' + v, at: [v, v + 1] });",
	"map.set('k' + (v % 13), list.at(-1) ?? v);",
	"log.push(Math.random());",
	"text('now ' + v); json({ v, n: list.length });",
	"try { log.push((await tools.callValue('a', { v })).n); } catch (e) { log.push(e.message); }",
	"log.push(await Promise.race([tools.search('q' + v), tools.describe('d')]).then((r) => typeof r, (e) => e.message));",
	"await Promise.allSettled([tools.call('b', list.slice(0, 3)), tools.call('c'), tools.order_list({ v })]);",
	"await new Promise((r) => setTimeout(r, v % 50)); log.push(Date.now() % 100000);",
	"clearTimeout(setTimeout(() => text('never'), v));",
	"setTimeout((x) => { log.push(x); text('late ' + x); }, v % 20, v);",
	"for (let i = 0; i < 200; i++) { const o = { i }; o.o = o; }",
	"list = list.map((x) => structuredClone(x)); list.sort((a, b) => a.v - b.v);",
	"log.push(/(\\d+)-(\\d+)/.exec('x' + v + '-' + list.length)?.[1] ?? null);",
	"log.push(new URL('../p?q=' + v, 'http://h/a/b/').href);",
	"{ class C { #p = v; get p() { return this.#p; } } log.push(new C().p); }",
	"log.push([...(function* () { for (let i = 0; i < 4; i++) yield i * v; })()].join());",
	"log.push(new Uint16Array([v, v * 2, v * 3]).map((x) => x >> 1).join());",
	"Promise.reject(new Error('nobody ' + v)); queueMicrotask(() => log.push('micro'));",
	"log.push(String(BigInt(v) ** 40n).length);",
	"list.push('big '.repeat(3000) + v);",
	"if (list.length > 20) list.length = 3;",
	"await yield_control('y' + v).catch((e) => log.push(e.message));",
	"with ({ w: v }) { log.push(w); }",
	"globalThis['g' + (v % 5)] = v; log.push(Object.keys(globalThis).filter((k) => /^g\\d/.test(k)).length);",
	"Array.prototype.extra = v; log.push([].extra); delete Array.prototype.extra;",
	"if (v % 97 === 3) throw new Error('random end ' + v);",
	"log.push(ALL_TOOLS.length + Object.keys(tools).length);",
}

// randomCell composes a cell of fragments.
func randomCell(rng *rand.Rand) Cell {
	var b strings.Builder
	fmt.Fprintf(&b, "let v = %d, list = [], map = new Map(), log = [];\n", rng.IntN(1000))
	for range 3 + rng.IntN(14) {
		b.WriteString(fragments[rng.IntN(len(fragments))] + "\n")
	}
	b.WriteString("return { v, list: list.length, keys: [...map.keys()], log };")
	return Cell{Code: b.String(), Seed: [3]uint32{rng.Uint32(), rng.Uint32(), rng.Uint32()}}
}
