package source

import (
	"context"
	"strings"
	"testing"
)

const benchUnit = `const r1 = await tools.callValue("list", { limit: 20 });
const open = r1.items.filter((x) => x.state === "open" && !x.locked).map((x) => ({ ...x, age: now - x.created / 1000 }));
for (const item of open) {
  if (/^bug(s?)/i.test(item.title)) text(` + "`${item.id}: ${item.title}`" + `);
}
`

func benchmark(b *testing.B, code string, lang Language) {
	b.Helper()
	b.SetBytes(int64(len(code)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Prepare(context.Background(), code, lang, guest); err != nil {
			b.Fatal(err)
		}
	}
}

func large(unit string) string {
	return strings.Repeat("{\n"+unit+"}\n", 50<<10/len(unit)) + "return 1"
}

func BenchmarkJavaScriptSmall(b *testing.B)  { benchmark(b, "return 1 + 1", JavaScript) }
func BenchmarkJavaScriptMedium(b *testing.B) { benchmark(b, benchUnit+"return open", JavaScript) }
func BenchmarkJavaScriptLarge(b *testing.B)  { benchmark(b, large(benchUnit), JavaScript) }
func BenchmarkTypeScriptSmall(b *testing.B) {
	benchmark(b, "const x: number = 1; return x + 1", TypeScript)
}
func BenchmarkTypeScriptMedium(b *testing.B) { benchmark(b, benchUnit+"return open", TypeScript) }
func BenchmarkTypeScriptLarge(b *testing.B)  { benchmark(b, large(benchUnit), TypeScript) }
func BenchmarkUnparsed(b *testing.B)         { benchmark(b, large(benchUnit)+"; return 010", JavaScript) }

func BenchmarkOriginal(b *testing.B) {
	p, err := Prepare(context.Background(), large(benchUnit), TypeScript, guest)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		p.Lines.Original(400, 10)
	}
}
