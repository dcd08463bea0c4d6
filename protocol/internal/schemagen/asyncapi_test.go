package main

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"codemode/protocol"
	"codemode/subjects"
)

// asyncAPI is the part of the document that is looked at here.
type asyncAPI struct {
	AsyncAPI string `yaml:"asyncapi"`
	Channels map[string]struct {
		Address    *string
		Parameters map[string]struct{ Enum []string }
		Messages   map[string]any
	}
	Operations map[string]struct {
		Action  string
		Channel struct {
			Ref string `yaml:"$ref"`
		}
	}
}

func readAsyncAPI(t *testing.T) (doc asyncAPI, tree any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(docs, "asyncapi.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	return doc, tree
}

// addresses are all subjects a message can be sent on, by the method of package subjects that makes them.
func addresses() map[string][]string {
	const tenant, run, call, job, session, ref = "TENANT", "RUNID", "CALLID", "JOBID", "SESSIONID", "REF"
	var n subjects.Names
	out := map[string][]string{
		"Job":          {n.Job(protocol.JobExec, tenant), n.Job(protocol.JobWait, tenant)},
		"Call":         {n.Call(tenant, run, call)},
		"Result":       {n.Result(tenant, run, call)},
		"Live":         {n.Live(tenant, run, call)},
		"Reply":        {n.Reply(tenant, run, job), "$JS.API.DIRECT.GET." + subjects.StreamRuns + "." + n.Reply(tenant, run, job)},
		"Event":        {n.Event(tenant, run, "KIND")},
		"AbortRun":     {n.AbortRun(tenant, run)},
		"AbortSession": {n.AbortSession(tenant, session)},
		"Service":      {n.Service(protocol.VerbStatus, tenant), n.Service(protocol.VerbAbort, tenant), n.Service(protocol.VerbSurface, tenant)},
		"CatalogKey":   {subjects.KeySubject(subjects.BucketCatalogs, n.CatalogKey(tenant, ref))},
	}
	braced := strings.NewReplacer(tenant, "{tenant}", run, "{runId}", call, "{callId}", job, "{jobId}", session, "{sessionId}", ref, "{ref}", "KIND", "{kind}")
	for _, list := range out {
		for i := range list {
			list[i] = braced.Replace(list[i])
		}
	}
	return out
}

// told reports whether a method of subjects.Names makes no subject of a message: a filter, a parser, the
// prefix, or a key that only workers or only gateways use.
func told(method string) bool {
	for _, end := range []string{"Filter", "All", "Key", "Prefix"} {
		if strings.HasSuffix(method, end) {
			return true
		}
	}
	return strings.HasPrefix(method, "Parse")
}

func TestAsyncAPIHasEverySubject(t *testing.T) {
	t.Parallel()
	doc, _ := readAsyncAPI(t)
	if !strings.HasPrefix(doc.AsyncAPI, "3.") {
		t.Errorf("version %q", doc.AsyncAPI)
	}
	have := map[string]string{}
	for name, c := range doc.Channels {
		if c.Address != nil {
			have[*c.Address] = name
		}
	}
	made := addresses()
	for method, list := range made {
		for _, subject := range list {
			if have[subject] == "" {
				t.Errorf("no channel has %s, which subjects.Names.%s makes", subject, method)
			}
			delete(have, subject)
		}
	}
	for subject, channel := range have {
		t.Errorf("channel %s has %s, which package subjects does not make", channel, subject)
	}
	names := reflect.TypeFor[subjects.Names]()
	for i := range names.NumMethod() {
		method := names.Method(i).Name
		if made[method] == nil && !told(method) {
			t.Errorf("subjects.Names.%s is new: its subject needs a channel", method)
		}
	}
}

func TestAsyncAPIChannelsAreWhole(t *testing.T) {
	t.Parallel()
	doc, _ := readAsyncAPI(t)
	used := map[string]bool{}
	for name, op := range doc.Operations {
		if op.Action != "send" && op.Action != "receive" {
			t.Errorf("operation %s has action %q", name, op.Action)
		}
		used[strings.TrimPrefix(op.Channel.Ref, "#/channels/")] = true
	}
	parameter := regexp.MustCompile(`\{(\w+)\}`)
	for name, c := range doc.Channels {
		if len(c.Messages) == 0 {
			t.Errorf("channel %s has no message", name)
		}
		if c.Address == nil {
			continue
		}
		if !used[name] && name != "live" { // live is between the server and workers
			t.Errorf("no operation uses channel %s", name)
		}
		var want []string
		for _, m := range parameter.FindAllStringSubmatch(*c.Address, -1) {
			want = append(want, m[1])
		}
		if !sameSet(want, slices.Collect(maps.Keys(c.Parameters))) {
			t.Errorf("channel %s: parameters are not those of %s", name, *c.Address)
		}
	}
	src, err := readSource("../..")
	if err != nil {
		t.Fatal(err)
	}
	if kinds := doc.Channels["event"].Parameters["kind"].Enum; !slices.Equal(kinds, src.values["EventKind"]) {
		t.Errorf("kinds of event are %v, want %v", kinds, src.values["EventKind"])
	}
}

// TestAsyncAPIReferencesLead follows every $ref, inside the document and to the schemas, and finds each schema used.
func TestAsyncAPIReferencesLead(t *testing.T) {
	t.Parallel()
	_, tree := readAsyncAPI(t)
	files := map[string]bool{}
	var walk func(node any)
	walk = func(node any) {
		switch node := node.(type) {
		case []any:
			for _, e := range node {
				walk(e)
			}
		case map[string]any:
			if ref, ok := node["$ref"].(string); ok {
				if file, ok := strings.CutPrefix(ref, "./"); ok {
					files[file] = true
				} else if !leads(tree, ref) {
					t.Errorf("%s leads nowhere", ref)
				}
			}
			for _, e := range node {
				walk(e)
			}
		}
	}
	walk(tree)
	for _, m := range messages {
		if !files[fileName(m)] {
			t.Errorf("no message has the schema %s", fileName(m))
		}
		delete(files, fileName(m))
	}
	for file := range files {
		t.Errorf("%s is no schema", file)
	}
}

func leads(tree any, ref string) bool {
	path, ok := strings.CutPrefix(ref, "#/")
	for step := range strings.SplitSeq(path, "/") {
		m, isMap := tree.(map[string]any)
		if !ok || !isMap {
			return false
		}
		tree, ok = m[step]
	}
	return ok
}
