package catalog

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"codemode/catalog/internal/ordered"
	"codemode/protocol"
)

// The parameters of BM25 (contract 6.7).
const (
	bm25K1 = 1.2
	bm25B  = 0.75
)

// paramDepth is how deep names and descriptions of parameters are searched.
const paramDepth = 4

// posting is what one term adds to the score of one document.
type posting struct {
	doc    int32
	weight float64
}

// searchIndex ranks the guest-visible entries. Documents are numbered by id, so that neither scores nor
// ties depend on the order tools came in.
type searchIndex struct {
	docs     []*Entry
	terms    map[string]int32 // number of a term in postings
	postings [][]posting
	exact    map[string][]int32 // documents by name and by id, in lower case
	scratch  sync.Pool          // *[]float64, all zero
}

// indexing is the state of building a searchIndex.
type indexing struct {
	pieces   [2]map[string]int32 // term numbers by piece: of no words, of words; -1 for stop words
	terms    map[string]int32
	postings [][]posting // weight holds the term's count until the end
	last     []int32     // by term, the last document that has it
	doc      int32
	length   float64 // of the current document
}

func newSearchIndex(visible []*Entry) *searchIndex {
	x := &searchIndex{docs: slices.Clone(visible), exact: make(map[string][]int32, 2*len(visible))}
	slices.SortFunc(x.docs, func(a, b *Entry) int { return strings.Compare(a.id, b.id) })
	in := &indexing{pieces: [2]map[string]int32{{}, {}}, terms: map[string]int32{}}
	lengths := make([]float64, len(x.docs))
	total := 0.0
	for i, e := range x.docs {
		in.document(int32(i), e)
		lengths[i] = in.length
		total += in.length
		name, id := strings.ToLower(e.tool.Name), strings.ToLower(e.id)
		x.exact[name] = append(x.exact[name], int32(i))
		x.exact[id] = append(x.exact[id], int32(i))
	}
	average := total / math.Max(float64(len(x.docs)), 1)
	for _, list := range in.postings {
		n := float64(len(list))
		idf := math.Log(1 + (float64(len(x.docs))-n+0.5)/(n+0.5))
		for i := range list {
			tf := list[i].weight
			list[i].weight = idf * tf * (bm25K1 + 1) / (tf + bm25K1*(1-bm25B+bm25B*lengths[list[i].doc]/average))
		}
	}
	x.terms, x.postings = in.terms, in.postings
	x.scratch.New = func() any { s := make([]float64, len(x.docs)); return &s }
	return x
}

// number gives the number of a piece's term, -1 for a stop word.
func (in *indexing) number(piece []byte, isWord bool) int32 {
	known := in.pieces[0]
	if isWord {
		known = in.pieces[1]
	}
	if n, ok := known[string(piece)]; ok {
		return n
	}
	text := string(piece)
	term, n := termOf(text, isWord), int32(-1)
	if term != "" {
		var ok bool
		if n, ok = in.terms[term]; !ok {
			n = int32(len(in.postings))
			in.terms[term] = n
			in.postings = append(in.postings, nil)
			in.last = append(in.last, -1)
		}
	}
	known[text] = n
	return n
}

func (in *indexing) text(text string) {
	termsOf(text, func(piece []byte, isWord bool) {
		n := in.number(piece, isWord)
		if n < 0 {
			return
		}
		in.length++
		if in.last[n] != in.doc {
			in.last[n] = in.doc
			in.postings[n] = append(in.postings[n], posting{doc: in.doc})
		}
		list := in.postings[n]
		list[len(list)-1].weight++
	})
}

func (in *indexing) document(doc int32, e *Entry) {
	in.doc, in.length = doc, 0
	in.text(e.tool.Name)
	in.text(e.id)
	in.text(e.tool.Label)
	in.text(e.tool.Description)
	if e.tool.Source == protocol.SourceOpenClaw && e.tool.Parameters != nil {
		if schema, err := ordered.Parse(e.tool.Parameters); err == nil {
			in.parameters(&schema, 0)
		}
	}
}

// parameters reads the properties of a schema, and of the schemas inside it, each nesting one level.
func (in *indexing) parameters(schema *ordered.Value, depth int) {
	if schema.Kind != ordered.Object || depth >= paramDepth {
		return
	}
	for i := range schema.Members {
		switch m := &schema.Members[i]; m.Key {
		case "properties":
			for j := range m.Value.Members {
				p := &m.Value.Members[j]
				in.text(p.Key)
				if p.Value.Kind == ordered.Object {
					in.text(p.Value.Get("description").Str)
				}
				in.parameters(&p.Value, depth+1)
			}
		case "items":
			in.inner(&m.Value, depth+1)
		case "anyOf", "oneOf", "allOf":
			for j := range m.Value.Items {
				in.inner(&m.Value.Items[j], depth+1)
			}
		}
	}
}

// inner reads a schema that has a description but no name of its own.
func (in *indexing) inner(schema *ordered.Value, depth int) {
	if schema.Kind == ordered.Object && depth < paramDepth {
		in.text(schema.Get("description").Str)
		in.parameters(schema, depth)
	}
}

// hit is a found document; an exact one is one whose name or id the query is.
type hit struct {
	doc   int32
	exact bool
	score float64
}

func compareHits(a, b hit) int {
	if a.exact != b.exact {
		if a.exact {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.doc, b.doc))
}

// Warm builds the search index, so that the first search need not.
func (c *Catalog) Warm() { c.searchOnce.Do(func() { c.search = newSearchIndex(c.visible) }) }

// Search gives the entries that fit the query best, at most limit, the best first (contract 6.7). limit
// is the effective one, at least 1.
func (c *Catalog) Search(query string, limit int) []*Entry {
	c.Warm()
	x := c.search
	query = trim(query)
	if query == "" {
		return slices.Clone(x.docs[:min(max(limit, 0), len(x.docs))])
	}
	scratch := x.scratch.Get().(*[]float64)
	defer x.scratch.Put(scratch)
	var found []*Entry
	for _, h := range x.best(query, limit, *scratch) {
		found = append(found, x.docs[h.doc])
	}
	return found
}

// best leaves scores all zero, as it found it.
func (x *searchIndex) best(query string, limit int, scores []float64) []hit {
	var touched []int32
	seen := map[int32]bool{}
	termsOf(query, func(piece []byte, isWord bool) {
		n, ok := x.terms[termOf(string(piece), isWord)]
		if !ok || seen[n] {
			return
		}
		seen[n] = true
		for _, p := range x.postings[n] {
			if scores[p.doc] == 0 {
				touched = append(touched, p.doc)
			}
			scores[p.doc] += p.weight
		}
	})
	exact := map[int32]bool{}
	var top []hit
	for _, doc := range x.exact[strings.ToLower(query)] {
		if !exact[doc] {
			exact[doc] = true
			top = keep(top, hit{doc, true, scores[doc]}, limit)
		}
	}
	for _, doc := range touched {
		if !exact[doc] {
			top = keep(top, hit{doc, false, scores[doc]}, limit)
		}
		scores[doc] = 0
	}
	return top
}

// keep puts h in its place among the best limit hits.
func keep(top []hit, h hit, limit int) []hit {
	if len(top) >= limit {
		if len(top) == 0 || compareHits(h, top[len(top)-1]) >= 0 {
			return top
		}
		top = top[:len(top)-1]
	}
	at, _ := slices.BinarySearchFunc(top, h, compareHits)
	return slices.Insert(top, at, h)
}
