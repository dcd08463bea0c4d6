package catalog

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"codemode/catalog/internal/ordered"
	"codemode/protocol"
)

// maxQuickIndex bounds the block, in characters (contract 2.4).
const maxQuickIndex = 8000

const (
	indexHead = "OpenClaw/plugin tool quick index (declared outputs first):\n" +
		"Each line is `id input -> output`; the output is what tools.callValue gives, and `-> ?` means it is not declared.\n" +
		"OUTPUT DECLARED RULE: where a type follows `->`, select, call and process in one exec.\n" +
		"OUTPUT UNKNOWN RULE: where the last call is `-> ?`, return its value unchanged first, also when it was fed from a declared output.\n"
	footerAll  = "\nUse these exact ids with tools.callValue; use ALL_TOOLS or tools.search inside exec when lookup is ambiguous."
	footerSome = " additional OpenClaw/plugin tools omitted from this prompt index. Use ALL_TOOLS or tools.search inside exec to find them."
)

// quickIndex is the block of contract 3.7 for the guest-visible entries, "" where none is native.
func quickIndex(visible []*Entry) string {
	type row struct {
		id, line string
		declared bool
	}
	var rows []row
	for _, e := range visible {
		if e.tool.Source != protocol.SourceOpenClaw {
			continue
		}
		input, output := e.hints()
		line := "- " + ordered.Quote(e.id) + " " + input + " -> " + cmp.Or(output, "?") + "\n"
		rows = append(rows, row{e.id, line, output != ""})
	}
	if len(rows) == 0 {
		return ""
	}
	slices.SortFunc(rows, func(a, b row) int {
		if a.declared != b.declared {
			if a.declared {
				return -1
			}
			return 1
		}
		return strings.Compare(a.id, b.id)
	})
	whole := characters(indexHead) + characters(footerAll)
	for i := range rows {
		whole += characters(rows[i].line)
	}
	var b strings.Builder
	b.WriteString(indexHead)
	if whole <= maxQuickIndex {
		for i := range rows {
			b.WriteString(rows[i].line)
		}
		return b.String() + footerAll
	}
	used, kept := characters(indexHead), 0
	footer := func(left int) string { return "\n" + strconv.Itoa(left) + footerSome }
	for i := range rows {
		n := characters(rows[i].line)
		// More lines kept make the number, and so the footer, shorter, never longer.
		if used+n+characters(footer(len(rows)-kept-1)) <= maxQuickIndex {
			b.WriteString(rows[i].line)
			used, kept = used+n, kept+1
		}
	}
	return b.String() + footer(len(rows)-kept)
}
