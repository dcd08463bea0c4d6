package vm

import (
	"errors"
	"testing"
	"time"

	"codemode/protocol"
)

// BenchmarkRender measures the conversion of values (contract 5.12) against making them alone, and how
// long a small graph with a very large text takes to be refused.
func BenchmarkRender(b *testing.B) {
	const rows = `const v = Array.from({ length: 400 }, (_, i) => ({ id: i, name: 'row number ' + i, tags: ['a', 'b"'], at: { x: i / 3, ok: true, none: null } }));`
	const numbers = `const v = Array.from({ length: 10000 }, (_, i) => i);`
	for _, c := range []struct {
		name, code string
		want       error
	}{
		{"rows-made", rows + `return 1`, nil},
		{"rows-50KB", rows + `return v`, nil},
		{"numbers-made", numbers + `return 1`, nil},
		{"numbers-10000", numbers + `return v`, nil},
		{"refused-shared", `let x = [1]; for (let i = 0; i < 27; i++) x = [x, x]; return x`, protocol.ErrOutput},
		{"refused-maps", `let x = 1; for (let i = 0; i < 300; i++) x = i % 2 ? new Map([[x, x]]) : new Set([x]); return x`, protocol.ErrOutput},
	} {
		b.Run(c.name, func(b *testing.B) {
			e := testEngine(b)
			for b.Loop() {
				v, err := e.Start(noHost{}, testLimits())
				if err != nil {
					b.Fatal(err)
				}
				if _, err := v.Run(Cell{Code: c.code}, time.Now().Add(time.Minute)); !errors.Is(err, c.want) {
					b.Fatal(err)
				}
				v.Close()
			}
		})
	}
}
