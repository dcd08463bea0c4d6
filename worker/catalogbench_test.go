package worker_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"codemode/internal/natstest"
	"codemode/protocol"
)

// benchTools is a stored catalogue of n native tools with schemas; variant makes its hash another one.
func benchTools(tb testing.TB, n int, variant string) []byte {
	words := strings.Fields("alpha beta gamma delta report order cloud mail user group team invoice photo record window channel station garden river")
	var c protocol.Catalog
	for i := range n {
		c.Tools = append(c.Tools, protocol.Tool{
			Source: protocol.SourceOpenClaw, Owner: fmt.Sprintf("plugin%d", i/25), Name: fmt.Sprintf("%s_%s_%d", words[i%len(words)], words[(i/7)%len(words)], i),
			Description: fmt.Sprintf("Works on the %s of the %s, number %d%s.", words[(i/3)%len(words)], words[(i/5)%len(words)], i, variant),
			Parameters: json.RawMessage(`{"type":"object","properties":{"id":{"type":"string","description":"Which one."},"limit":{"type":"integer"},` +
				`"options":{"type":"object","properties":{"deep":{"type":"boolean"}}}},"required":["id"]}`),
			OutputSchema: json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"},"count":{"type":"number"}},"required":["id"],"additionalProperties":false}`),
		})
	}
	data, err := protocol.Marshal(c)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// BenchmarkCatalog measures from publish to reply what a catalogue costs a cell, by its size. "untouched"
// is to be the same for all sizes; "first-use" runs each cell with a catalogue that no worker has seen.
func BenchmarkCatalog(b *testing.B) {
	url := natstest.Server(b)
	startWorker(b, url, nil)
	g := newGateway(b, url, labAnswer)
	run := func(b *testing.B, ref, code string) {
		b.Helper()
		r := g.exec(code, map[string]any{"catalog": map[string]any{"ref": ref}})
		if r.Result.Status != protocol.StatusCompleted {
			b.Fatalf("got %s %s", r.Result.Status, r.Result.Error)
		}
		b.ReportMetric(r.Timing.VMMs, "vm-ms/last")
	}
	for _, size := range []int{10, 5000} {
		ref := g.putCatalog("", benchTools(b, size, ""))
		for _, c := range []struct{ name, code string }{
			{"untouched", `return 1 + 1`},
			{"search", `return (await tools.search("invoice of a team", { limit: 5 })).length`},
			{"call", `return await tools.callValue("openclaw:plugin0:alpha_alpha_0", { id: "x" }).catch((e) => e.message)`},
			{"ALL_TOOLS", `return ALL_TOOLS.length`},
		} {
			b.Run(fmt.Sprintf("%s/%d", c.name, size), func(b *testing.B) {
				run(b, ref, c.code)
				for b.Loop() {
					run(b, ref, c.code)
				}
			})
		}
	}
	b.Run("first-use/5000", func(b *testing.B) {
		var refs []string
		for i := range b.N {
			refs = append(refs, g.putCatalog("", benchTools(b, 5000, fmt.Sprintf(" of %d-%d", b.N, i))))
		}
		b.ResetTimer()
		for _, ref := range refs {
			run(b, ref, `return 1 + 1`)
		}
	})
}

// BenchmarkCatalogFirstSearch measures the first search over 5,000 tools that are cached, as a leg sees it.
// The catalogue was decoded by an earlier cell; the wait for its index is not measured, the search is.
func BenchmarkCatalogFirstSearch(b *testing.B) {
	url := natstest.Server(b)
	startWorker(b, url, nil)
	g := newGateway(b, url, nil)
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		catalog := map[string]any{"catalog": map[string]any{"ref": g.putCatalog("", benchTools(b, 5000, fmt.Sprintf(" of %d-%d", b.N, i)))}}
		g.exec(`return 1`, catalog)
		g.exec(`await new Promise((done) => setTimeout(done, 400))`, nil)
		b.StartTimer()
		r := g.exec(`return (await tools.search("invoice of a team", { limit: 5 })).length`, catalog)
		b.ReportMetric(r.Timing.TotalMs, "leg-ms/last")
	}
}
