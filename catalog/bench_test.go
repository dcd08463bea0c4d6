package catalog

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"codemode/protocol"
)

// manyTools is the wire text of a catalogue of n tools, made of the tools of the search test.
func manyTools(b testing.TB, n int) []byte {
	var models []protocol.Tool
	if err := json.Unmarshal(testdata(b, "search_tools.json"), &models); err != nil {
		b.Fatal(err)
	}
	words := strings.Fields("alpha beta gamma delta report order cloud mail user group team invoice photo record window channel station garden river")
	var c protocol.Catalog
	for i := range n {
		t := models[i%len(models)]
		t.Owner = fmt.Sprintf("plugin%d", i/len(models))
		t.Name += "_" + words[i%len(words)]
		t.Description += fmt.Sprintf(" Works on the %s of %s number %d.", words[(i/7)%len(words)], words[(i/3)%len(words)], i)
		c.Tools = append(c.Tools, t)
	}
	data, err := protocol.Marshal(c)
	if err != nil {
		b.Fatal(err)
	}
	return data
}

func BenchmarkDecode5000(b *testing.B) {
	data := manyTools(b, 5000)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(data); err != nil {
			b.Fatal(err)
		}
	}
}

func many(b testing.TB) *Catalog {
	c, err := Decode(manyTools(b, 5000))
	if err != nil {
		b.Fatal(err)
	}
	return c
}

func BenchmarkFirstSearch5000(b *testing.B) {
	c := many(b)
	b.ReportAllocs()
	for b.Loop() {
		newSearchIndex(c.visible)
	}
}

func BenchmarkSearch5000(b *testing.B) {
	c := many(b)
	for _, query := range []string{"unpaid invoices of a customer", "order", "openclaw plugin works number mail user group team order report"} {
		c.Search(query, 8)
		b.Run(query, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.Search(query, 50)
			}
		})
	}
}

func BenchmarkAllTools5000(b *testing.B) {
	data := manyTools(b, 5000)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		c, err := Decode(data)
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		c.AllTools()
	}
}

func BenchmarkUnknownLookup5000(b *testing.B) {
	c := many(b)
	_, _ = c.Lookup("invoice_lost")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Lookup("invoice_lost"); err == nil {
			b.Fatal("found")
		}
	}
}

func BenchmarkQuickIndex5000(b *testing.B) {
	c := many(b)
	c.AllTools()
	b.ReportAllocs()
	for b.Loop() {
		quickIndex(c.visible)
	}
}

func BenchmarkForRun(b *testing.B) {
	c := many(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.ForRun(nil, false); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkValidateOutput(b *testing.B) {
	e := outputTool(b, `{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"paid":{"type":"boolean"}},"required":["id","paid"],"additionalProperties":false}}`)
	details := json.RawMessage("[" + strings.TrimSuffix(strings.Repeat(`{"id":"a","paid":true},`, 100), ",") + "]")
	if err := e.CompileOutput(); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := e.ValidateOutput(details); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompileOutput(b *testing.B) {
	e := outputTool(b, `{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"paid":{"type":"boolean"}},"required":["id","paid"],"additionalProperties":false}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := compileOutput(e.tool.OutputSchema); err != nil {
			b.Fatal(err)
		}
	}
}
