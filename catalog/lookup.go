package catalog

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"codemode/protocol"
)

// Lookup finds the guest-visible entry with the exact id, else the only one with the exact name
// (contract 6.6). The error text is the guest's rejection.
func (c *Catalog) Lookup(ref string) (*Entry, error) {
	ref = trim(ref)
	if e := c.byID[ref]; e != nil && e.tool.Source != protocol.SourceMCP {
		return e, nil
	}
	switch found := c.byName[ref]; len(found) {
	case 0:
	case 1:
		return found[0], nil
	default:
		return nil, rejection("Ambiguous tool name: " + ref + "; use an exact tool id.")
	}
	hint := ""
	if names := c.suggest(ref); len(names) > 0 {
		hint = "Did you mean: " + strings.Join(names, ", ") + "? "
	}
	return nil, rejection("Unknown tool id: " + ref + ". " + hint +
		"Use tools.search to find a tool, tools.describe to inspect it, then tools.call with the exact id or name.")
}

// Entry gives the entry with the exact id, MCP ones included, or nil. It is for ids the host has resolved
// before, not for what guest code says.
func (c *Catalog) Entry(id string) *Entry { return c.byID[id] }

// maxNeedle is the longest reference, in bytes, that suggestions are made for: guest code chooses it,
// and each one is looked for in every description.
const maxNeedle = 256

const maxSuggestions = 3

// nearIndex holds what suggestions are scored by, in lower case, in the order of Catalog.visible.
type nearIndex struct {
	names, ids, labels, descriptions []string
	byToken                          map[string][]int32 // entries whose texts have the token, each once
}

func newNearIndex(entries []*Entry) *nearIndex {
	n := len(entries)
	x := &nearIndex{
		names: make([]string, n), ids: make([]string, n), labels: make([]string, n), descriptions: make([]string, n),
		byToken: map[string][]int32{},
	}
	for i, e := range entries {
		x.names[i] = strings.ToLower(e.tool.Name)
		x.ids[i] = strings.ToLower(e.id)
		x.labels[i] = strings.ToLower(e.tool.Label)
		x.descriptions[i] = strings.ToLower(e.tool.Description)
		for _, text := range []string{x.names[i], x.ids[i], x.labels[i], x.descriptions[i]} {
			for token := range words(text) {
				list := x.byToken[token]
				if len(list) == 0 || list[len(list)-1] != int32(i) {
					x.byToken[token] = append(list, int32(i))
				}
			}
		}
	}
	return x
}

// words yields the alphanumeric runs of a text.
func words(text string) func(func(string) bool) {
	return strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// suggest names up to three entries near an unknown reference, the nearest first (contract 6.6).
func (c *Catalog) suggest(ref string) []string {
	if ref == "" || len(ref) > maxNeedle {
		return nil
	}
	c.nearOnce.Do(func() { c.near = newNearIndex(c.visible) })
	needle := strings.ToLower(ref)
	scores := c.near.scores(needle)
	type candidate struct {
		text  string
		score int
	}
	var best []candidate
	for i, score := range scores {
		if score == 0 || len(best) == maxSuggestions && score < best[maxSuggestions-1].score {
			continue
		}
		e := c.visible[i]
		text := e.tool.Name
		if len(c.byName[text]) > 1 {
			text = e.id
		}
		best = append(best, candidate{text, score})
		slices.SortFunc(best, func(a, b candidate) int {
			return cmp.Or(b.score-a.score, strings.Compare(a.text, b.text))
		})
		best = best[:min(len(best), maxSuggestions)]
	}
	names := make([]string, len(best))
	for i := range best {
		names[i] = best[i].text
	}
	return names
}

func (x *nearIndex) scores(needle string) []int {
	scores := make([]int, len(x.names))
	tokens := map[string]bool{}
	for token := range words(needle) {
		if tokens[token] {
			continue
		}
		tokens[token] = true
		for _, i := range x.byToken[token] {
			scores[i] += 12
		}
	}
	for i, name := range x.names {
		if strings.Contains(needle, name) || strings.Contains(x.ids[i], needle) {
			scores[i] += 40
		}
		if tokens[name] {
			scores[i] += 40
		}
		if strings.Contains(x.labels[i], needle) || strings.Contains(x.descriptions[i], needle) {
			scores[i] += 8
		}
	}
	return scores
}
