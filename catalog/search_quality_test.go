package catalog

import (
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
)

type request struct {
	Query string   `json:"query"`
	Want  []string `json:"want"`
}

func testdata(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// quality is what a ranking does on a set of requests.
type quality struct{ at1, at5, mrr float64 }

func measure(requests []request, rank func(query string) []string) quality {
	var q quality
	for _, r := range requests {
		place := 0
		for i, name := range rank(r.Query) {
			if slices.Contains(r.Want, name) {
				place = i + 1
				break
			}
		}
		if place == 1 {
			q.at1++
		}
		if 1 <= place && place <= 5 {
			q.at5++
		}
		if place > 0 {
			q.mrr += 1 / float64(place)
		}
	}
	n := float64(len(requests))
	return quality{q.at1 / n, q.at5 / n, q.mrr / n}
}

// overlap is the plain ranking to compare with: how many distinct words of the query, split at
// non-alphanumerics, are among those of name and description.
func overlap(c *Catalog, query string) []string {
	split := func(text string) map[string]bool {
		m := map[string]bool{}
		for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			m[w] = true
		}
		return m
	}
	type scored struct {
		e     *Entry
		score int
	}
	asked := split(query)
	var list []scored
	for _, e := range c.visible {
		score := 0
		for w := range split(e.tool.Name + " " + e.tool.Description) {
			if asked[w] {
				score++
			}
		}
		if score > 0 {
			list = append(list, scored{e, score})
		}
	}
	slices.SortFunc(list, func(a, b scored) int { return cmp.Or(b.score-a.score, strings.Compare(a.e.id, b.e.id)) })
	var found []string
	for _, s := range list[:min(len(list), 50)] {
		found = append(found, s.e.Name())
	}
	return found
}

// The search finds the right tool for natural requests (contract 6.7). The requests were written before
// the first measurement and are as they were; what changed since is in DESIGN.md.
func TestSearchQuality(t *testing.T) {
	t.Parallel()
	c := decode(t, string(testdata(t, "search_tools.json")))
	var requests []request
	if err := json.Unmarshal(testdata(t, "search_requests.json"), &requests); err != nil {
		t.Fatal(err)
	}
	if c.Size() < 80 || len(requests) < 150 {
		t.Fatalf("%d tools and %d requests are too few", c.Size(), len(requests))
	}
	got := measure(requests, func(q string) []string { return namesOf(c.Search(q, 50)) })
	plain := measure(requests, func(q string) []string { return overlap(c, q) })
	t.Logf("search:        recall@1 %.3f, recall@5 %.3f, MRR %.3f", got.at1, got.at5, got.mrr)
	t.Logf("token overlap: recall@1 %.3f, recall@5 %.3f, MRR %.3f", plain.at1, plain.at5, plain.mrr)
	if got.at5 < 0.95 {
		t.Errorf("recall@5 is %.3f, want at least 0.95", got.at5)
	}
	if got.mrr <= plain.mrr || got.at1 <= plain.at1 {
		t.Errorf("no better than plain token overlap: %+v, %+v", got, plain)
	}
}
