package catalog

import (
	"strings"
	"testing"
)

const unknownTail = " Use tools.search to find a tool, tools.describe to inspect it, then tools.call with the exact id or name."

// Contract 6.6; conformance tools/three-ways, tools/ambiguous-name, tools/unknown-suggestion,
// tools/unknown-empty, tools/suggestions, tools/default-input.
func TestLookup(t *testing.T) {
	t.Parallel()
	mails := `[{"source":"openclaw","name":"mail_zip","description":"Zips mail."},{"source":"openclaw","name":"mail_send","description":"Sends mail."},
	 {"source":"openclaw","name":"mail_list","description":"Lists mail."},{"source":"openclaw","name":"mail","description":"All mail."},
	 {"source":"openclaw","name":"calendar_add","description":"Adds a date."}]`
	sends := `[{"source":"openclaw","owner":"mail","name":"send","description":"Sends mail."},{"source":"openclaw","owner":"sms","name":"send","description":"Sends SMS."}]`
	for _, c := range []struct{ tools, ref, id, err string }{
		{shopTools, "openclaw:shop:order_list", "openclaw:shop:order_list", ""},
		{shopTools, "order_list", "openclaw:shop:order_list", ""},
		{shopTools, " \u00a0openclaw:core:read\ufeff\n", "openclaw:core:read", ""},
		{shopTools, "Read", "", "Unknown tool id: Read. Did you mean: read?" + unknownTail},
		{shopTools, "github__create_issue", "", "Unknown tool id: github__create_issue. Did you mean: order_create?" + unknownTail},
		{shopTools, "mcp:github:github__create_issue", "", "Unknown tool id: mcp:github:github__create_issue. Did you mean: order_create?" + unknownTail},
		{sends, "send", "", "Ambiguous tool name: send; use an exact tool id."},
		{sends, "openclaw:sms:send", "openclaw:sms:send", ""},
		{sends, "sms.send", "", "Unknown tool id: sms.send. Did you mean: openclaw:sms:send, openclaw:mail:send?" + unknownTail},
		{`[{"source":"openclaw","name":"read","description":"Gives text."}]`, "file_read", "", "Unknown tool id: file_read. Did you mean: read?" + unknownTail},
		{`[]`, "missing_tool", "", "Unknown tool id: missing_tool." + unknownTail},
		{`[]`, "__proto__", "", "Unknown tool id: __proto__." + unknownTail},
		{mails, "mail_delete", "", "Unknown tool id: mail_delete. Did you mean: mail, mail_list, mail_send?" + unknownTail},
		{mails, "  ", "", "Unknown tool id: ." + unknownTail},
		{`[{"source":"openclaw","name":"a:b","owner":"x"},{"source":"openclaw","name":"openclaw:x:a:b","owner":"y"}]`, "openclaw:x:a:b", "openclaw:x:a:b", ""},
	} {
		e, err := decode(t, c.tools).Lookup(c.ref)
		id := ""
		if e != nil {
			id = e.ID()
		}
		if id != c.id || message(err) != c.err {
			t.Errorf("%q: %q %q\nwant %q %q", c.ref, id, message(err), c.id, c.err)
		}
	}
}

func TestEntry(t *testing.T) {
	t.Parallel()
	c := decode(t, shopTools)
	for _, e := range c.entries {
		if c.Entry(e.ID()) != e {
			t.Errorf("%s is not found", e.ID())
		}
	}
	if c.Entry("read") != nil || c.Entry(" openclaw:core:read") != nil {
		t.Error("something else than an exact id is found")
	}
}

// The points of contract 6.6, one by one.
func TestSuggestionScores(t *testing.T) {
	t.Parallel()
	c := decode(t, `[{"source":"openclaw","owner":"zz","name":"abc","label":"Label Word","description":"Some words, more words here."}]`)
	x := newNearIndex(c.visible)
	for needle, want := range map[string]int{
		"xabcx":       40,           // contains the name
		"law:zz:ab":   40 + 12,      // the id contains it, and shares zz
		"abc":         40 + 40 + 12, // contained, is a token, shared
		"words words": 12,           // a token counts once
		"label":       12 + 8,
		"ome wor":     8,
		"nothing":     0,
	} {
		same(t, needle, x.scores(needle)[0], want)
	}
}

// A reference of any length costs no more than reading it.
func TestLongReference(t *testing.T) {
	t.Parallel()
	ref := strings.Repeat("read ", 100)
	_, err := decode(t, shopTools).Lookup(ref)
	same(t, "error", message(err), "Unknown tool id: "+strings.TrimSpace(ref)+"."+unknownTail)
}
