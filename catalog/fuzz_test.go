package catalog

import (
	"encoding/json"
	"testing"

	"codemode/protocol"
)

// Whatever a gateway sends is either refused as invalid or gives a catalogue all of whose texts are JSON.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"tools":` + shopTools + `}`))
	f.Add([]byte(`{"tools":` + githubTools + `,"namespaces":[]}`))
	f.Add([]byte(`{"tools":` + ticketTools + `,"namespaces":[` + tickets + `]}`))
	f.Add([]byte(`{"tools":` + surfaceTools + `}`))
	f.Add([]byte(`{"tools":[{"source":"mcp","name":"__proto__","parameters":{"$ref":"#","properties":{"a":{"default":{"b":[]}}}},"mcp":{"serverName":"constructor","toolName":"\ud800"}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Decode(data)
		if err != nil {
			if perr, ok := err.(*protocol.Error); !ok || perr.Detail != protocol.DetailInvalidInput {
				t.Fatalf("error %#v", err)
			}
			return
		}
		value(t, c.AllTools())
		for _, e := range c.entries {
			value(t, e.Described())
		}
		c.Search(string(data), 50)
		_, _ = c.Lookup(string(data))
		v, err := c.ForRun(nil, true)
		if err != nil {
			return
		}
		value(t, v.NamespaceTree())
		value(t, v.MCPTree())
		files, err := v.APIList("")
		if err != nil {
			t.Fatal(err)
		}
		value(t, files)
		for _, s := range v.servers().servers {
			text, err := v.DollarAPI(s.identifier, "", true)
			if err != nil {
				t.Fatal(err)
			}
			value(t, text)
			value(t, mustRead(t, v, "mcp/"+s.identifier+".d.ts"))
			for _, tool := range s.tools {
				e, input, err := v.Resolve("mcp", append([]string{s.identifier}, tool.path...), Args{Count: 1, Values: map[int]json.RawMessage{0: []byte(`{"a":1}`)}})
				if e != tool.entry {
					t.Fatalf("%q resolves to %v", tool.path, e)
				}
				if err == nil {
					value(t, input)
				}
			}
		}
		tools, active, err := Surface(configOn, swarmOn, c, nil)
		if err != nil || active != (len(c.entries)+len(c.direct) > 0) {
			t.Fatalf("surface: %v %v", active, err)
		}
		if active {
			shown := []string{}
			for _, d := range tools {
				shown = append(shown, d.Name)
			}
			if err := VerifySurface(shown, c.VisibleTools()[2:]); err != nil {
				t.Fatal(err)
			}
		}
	})
}
