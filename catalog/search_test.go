package catalog

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func simpleTools(pairs ...string) string {
	var tools []string
	for i := 0; i < len(pairs); i += 2 {
		tools = append(tools, fmt.Sprintf(`{"source":"openclaw","name":%q,"description":%q}`, pairs[i], pairs[i+1]))
	}
	return "[" + strings.Join(tools, ",") + "]"
}

// Contract 6.7; conformance tools/search, tools/search-nothing, tools/search-empty, tools/search-terms,
// tools/search-stop-words, config/search-limit-lowers-default.
func TestSearch(t *testing.T) {
	t.Parallel()
	terms := simpleTools("schedule_job", "Plans a job.", "news_latest", "Shows headlines.", "new_note", "Creates a note.",
		"HTTPServer2", "Starts listening.", "parseJSONFile", "Parses.", "getUserByID", "Looks up a person.", "spreadsheet", "Opens a table.")
	stop := simpleTools("up", "Moves the lift.", "y_note", "Takes notes.", "x_note", "Takes notes.", "c", "Other thing.")
	many := simpleTools("a", "x", "b", "x", "c", "x", "d", "y")
	for _, c := range []struct {
		tools, query string
		limit        int
		want         []string
	}{
		{shopTools, "order_create", 1, []string{"order_create"}},
		{shopTools, "zebra quantum", 8, []string{}},
		{shopTools, "github issue", 8, []string{}},
		{shopTools, "weather for a city", 8, []string{"weather_now"}},
		{shopTools, "title", 8, []string{}}, // parameters of client and MCP tools are not searched
		{shopTools, "path", 8, []string{"read"}},
		{shopTools, "", 3, []string{"select_file", "read", "order_create"}},
		{shopTools, " \n", 2, []string{"select_file", "read"}},
		{shopTools, "", 50, []string{"select_file", "read", "order_create", "order_list", "weather_now"}},
		{terms, "scheduling", 8, []string{"schedule_job"}}, {terms, "news", 8, []string{"news_latest"}}, {terms, "new", 8, []string{"new_note"}},
		{terms, "http server", 8, []string{"HTTPServer2"}}, {terms, "2", 8, []string{"HTTPServer2"}}, {terms, "json", 8, []string{"parseJSONFile"}},
		{terms, "USER id", 8, []string{"getUserByID"}}, {terms, "plan", 8, []string{"schedule_job"}}, {terms, "sched", 8, []string{}},
		{terms, "read", 8, []string{}}, {terms, "ＨＴＴＰ", 8, []string{"HTTPServer2"}},
		{stop, "the of and", 8, []string{}}, {stop, "up", 8, []string{"up"}}, {stop, "what is up", 8, []string{}},
		{stop, "notes", 8, []string{"x_note", "y_note"}}, {stop, " Y_NOTE ", 8, []string{"y_note", "x_note"}}, {stop, "OPENCLAW:core:UP", 1, []string{"up"}},
		{many, "x", 2, []string{"a", "b"}}, {many, "x x y", 8, []string{"d", "a", "b", "c"}},
		{`[]`, "x", 8, []string{}}, {`[]`, "", 8, []string{}},
	} {
		same(t, "search "+c.query, namesOf(decode(t, c.tools).Search(c.query, c.limit)), c.want)
	}
}

// A catalogue may hold the same exact name more than once; limits apply to exact hits too.
func TestSearchExact(t *testing.T) {
	t.Parallel()
	c := decode(t, `[{"source":"openclaw","owner":"b","name":"send"},{"source":"openclaw","owner":"a","name":"Send"},{"source":"openclaw","name":"send_all","description":"send send send send"}]`)
	same(t, "exact first", idsOf(c.Search("send", 8))[2], "openclaw:core:send_all")
	same(t, "limit", len(c.Search("send", 1)), 1)
	same(t, "scores are given back", namesOf(c.Search("zzz", 8)), []string{})
}

// BM25 with k1 1.2 and b 0.75, computed by hand for two documents (contract 6.7).
func TestScore(t *testing.T) {
	t.Parallel()
	// Terms: "alpha", "openclaw core alpha", "red red box" → 7; "beta", "openclaw core beta", "box" → 5.
	c := decode(t, simpleTools("alpha", "red red box", "beta", "box"))
	x := newSearchIndex(c.visible)
	red := x.postings[x.terms["red"]]
	idf := math.Log(1 + (2-1+0.5)/(1+0.5))
	want := idf * 2 * 2.2 / (2 + 1.2*(1-0.75+0.75*7/6.0))
	same(t, "postings", len(red), 1)
	if got := red[0].weight; math.Abs(got-want) > 1e-12 {
		t.Errorf("weight %v, want %v", got, want)
	}
}

// Contract 6.7: the terms of a text.
func TestTerms(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"HTTPServer2":               "http server 2",
		"getUserByID":               "get user id",
		"parseJSONFile v12beta":     "pars json file v 12 beta",
		"snake_case-kebab.dot":      "snake case kebab dot",
		"IDs":                       "ds", // the last capital of a run begins a word, and i is a stop word
		"ÄpfelBaum":                 "äpfel baum",
		"ﬁle":                       "file",
		"the an of":                 "",
		"don't":                     "don t",
		"文件搜索":                      "文件搜索 文件 件搜 搜索",
		"日本":                        "日本",
		"GitHub用户x":                 "git hub 用户 x",
		"カメラ":                       "カメラ カメ メラ",
		"e\u0301te\u0301":           "été",
		"Привет МирОк":              "привет мир ок",
		"a1b22":                     "1 b 22",
		strings.Repeat("ing", 20):   strings.Repeat("ing", 20),
		"😀 🚀":                       "",
		"calendars scheduling news": "calendar schedul news",
	} {
		var got []string
		termsOf(text, func(piece []byte, isWord bool) {
			if term := termOf(string(piece), isWord); term != "" {
				got = append(got, term)
			}
		})
		same(t, text, strings.Join(got, " "), want)
	}
}

// Parameters are searched to depth 4, names and descriptions, for native tools (contract 6.7).
func TestSearchParameters(t *testing.T) {
	t.Parallel()
	c := decode(t, `[{"source":"openclaw","name":"deep","parameters":{"description":"rootword","properties":{"levelone":{"description":"firsttext",
	 "properties":{"leveltwo":{"items":{"properties":{"levelthree":{}}}, "anyOf":[{"description":"varianttext"}],
	 "properties":{"threeb":{"properties":{"levelfour":{"properties":{"levelfive":{}}}}}}}}}}}},
	 {"source":"openclaw","name":"odd","parameters":{"properties":{"description":{"description":7}},"items":[],"anyOf":{}}},
	 {"source":"openclaw","name":"list","parameters":[1]}]`)
	for query, found := range map[string]bool{"levelone": true, "firsttext": true, "leveltwo": true, "varianttext": true, "levelthree": true,
		"threeb": true, "levelfour": true, "levelfive": false, "rootword": false, "description": true} {
		same(t, query, len(c.Search(query, 8)) == 1, found)
	}
}

// The order in which tools were supplied changes nothing (contract 6.7).
func TestSearchOrder(t *testing.T) {
	t.Parallel()
	var tools []string
	for i := range 60 {
		tools = append(tools, fmt.Sprintf(`{"source":"openclaw","owner":"p%d","name":"tool_%d","description":"%s file mail %s"}`,
			i%7, i, strings.Repeat("send ", i%5), strings.Repeat("list ", i%3)))
	}
	want := idsOf(decode(t, "["+strings.Join(tools, ",")+"]").Search("send the mail list", 50))
	slices.Reverse(tools)
	same(t, "hits", idsOf(decode(t, "["+strings.Join(tools, ",")+"]").Search("send the mail list", 50)), want)
}

// No text makes the splitter or the stemmer fail, lose letters or take more than linear space.
func FuzzTerms(f *testing.F) {
	for _, s := range []string{"HTTPServer2", "don't", "文件搜索x", "e\u0301\u0301", "ﬁle", "'s", "ying yied", "ÄÖÜßẞ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		total := 0
		termsOf(text, func(piece []byte, isWord bool) {
			if len(piece) == 0 {
				t.Fatalf("an empty piece in %q", text)
			}
			total += len(piece)
			if term := termOf(string(piece), isWord); isWord && term == "" && !stopWords[string(piece)] {
				t.Fatalf("%q of %q has no term", piece, text)
			}
		})
		if total > 3*18*(len(text)+1) { // a pair twice and once whole, NFKC makes at most 18 of one
			t.Fatalf("%d bytes of terms from %d", total, len(text))
		}
	})
}
