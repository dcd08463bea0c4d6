package catalog

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"codemode/protocol"
)

// Catalog is an immutable set of tools (contract 6.1). Use Decode or Build to make one. It is safe for
// concurrent use.
type Catalog struct {
	entries    []*Entry // every entry, in the order of contract 6.3
	visible    []*Entry // those guest code sees (no MCP), same order
	byID       map[string]*Entry
	byName     map[string][]*Entry // guest-visible entries by exact name
	direct     []*Entry            // direct-only tools in their original order
	mcp        []*Entry            // MCP entries by id
	sources    protocol.SourceCounts
	namespaces []protocol.Namespace

	convenience     map[string]string // safe name → id
	convenienceList []string

	allToolsOnce sync.Once
	allTools     []byte
	nearOnce     sync.Once
	near         *nearIndex
	searchOnce   sync.Once
	search       *searchIndex
	mcpOnce      sync.Once
	mcpServers   *mcpTree
	checkedOnce  sync.Once
	checked      []*namespace // the catalogue's own namespaces, checked
	checkedErr   error
}

// Build makes the catalogue of c. Errors are *protocol.Error `code mode catalog is invalid: <reason>`,
// detail invalid_input, the reason naming entry and field. The catalogue keeps c's raw JSON, which
// must not be changed afterwards.
func Build(c protocol.Catalog) (*Catalog, error) {
	for i := range c.Tools {
		if err := checkBuilt(&c.Tools[i]); err != nil {
			return nil, invalid("tools", i, err)
		}
	}
	return build(c)
}

// build takes tools whose texts and raw JSON are known to be well formed.
func build(wire protocol.Catalog) (*Catalog, error) {
	last := make(map[string]int, len(wire.Tools))
	ids := make([]string, len(wire.Tools))
	for i := range wire.Tools {
		tool := &wire.Tools[i]
		if err := checkTool(tool); err != nil {
			return nil, invalid("tools", i, err)
		}
		if hidden(tool) {
			continue
		}
		ids[i] = idOf(tool)
		last[ids[i]] = i
	}
	c := &Catalog{
		byID:       make(map[string]*Entry, len(last)),
		byName:     make(map[string][]*Entry, len(last)),
		namespaces: wire.Namespaces,
	}
	directNames := map[string]bool{toolExec: true, toolWait: true}
	for i := range wire.Tools {
		if ids[i] == "" || last[ids[i]] != i { // of two tools with one id the later counts (contract 6.2)
			continue
		}
		e := newEntry(wire.Tools[i], ids[i])
		if !e.tool.DirectOnly {
			c.entries = append(c.entries, e)
		} else if !directNames[e.tool.Name] {
			directNames[e.tool.Name] = true
			c.direct = append(c.direct, e)
		}
	}
	slices.SortFunc(c.entries, func(a, b *Entry) int {
		return cmp.Or(cmp.Compare(a.group(), b.group()), strings.Compare(a.id, b.id))
	})
	for _, e := range c.entries {
		c.file(e)
	}
	c.nameConveniences()
	return c, nil
}

func (c *Catalog) file(e *Entry) {
	switch e.tool.Source {
	case protocol.SourceMCP:
		c.sources.MCP++
		c.mcp = append(c.mcp, e)
		c.byID[e.id] = e
		return
	case protocol.SourceClient:
		c.sources.Client++
	default:
		c.sources.OpenClaw++
	}
	c.visible = append(c.visible, e)
	c.byID[e.id] = e
	c.byName[e.tool.Name] = append(c.byName[e.tool.Name], e)
}

// The control tools (contract 3.2).
const (
	toolExec = "exec"
	toolWait = "wait"
)

// hidden reports whether a tool is a control: neither visible nor in the catalogue (contract 3.3).
func hidden(t *protocol.Tool) bool {
	if t.Control {
		return true
	}
	switch t.Name {
	case "tool_search_code", "tool_search", "tool_describe", "tool_call":
		return t.Source != protocol.SourceMCP
	}
	return false
}

// Size is the number of entries, MCP included.
func (c *Catalog) Size() int { return len(c.entries) }

// Sources counts the entries by source.
func (c *Catalog) Sources() protocol.SourceCounts { return c.sources }

// VisibleTools names the tools the model sees: exec, wait, then the direct-only ones (contract 3.2).
// A direct-only tool that is called exec or wait, or like an earlier one, cannot be shown and is left out.
func (c *Catalog) VisibleTools() []string {
	names := make([]string, 0, 2+len(c.direct))
	names = append(names, toolExec, toolWait)
	for _, e := range c.direct {
		names = append(names, e.tool.Name)
	}
	return names
}

// Bytes estimates the memory of the catalogue with everything derived from it, for a cache with a byte limit.
func (c *Catalog) Bytes() int {
	total := 4096
	for _, list := range [][]*Entry{c.entries, c.direct} {
		for _, e := range list {
			t := &e.tool
			total += 1024 + 6*(len(e.id)+len(t.Name)+len(t.Label)+len(t.Description)) + 3*len(t.Parameters) + 4*len(t.OutputSchema)
		}
	}
	for i := range c.namespaces {
		total += 1024 + nodeBytes(&c.namespaces[i].Scope)
	}
	return total
}

// AllTools is the JSON array of compact entries that guest code reads as ALL_TOOLS (contract 5.3).
// The caller must not change it.
func (c *Catalog) AllTools() []byte {
	c.allToolsOnce.Do(func() {
		size := 2
		for _, e := range c.visible {
			size += len(e.Compact()) + 1
		}
		b := append(make([]byte, 0, size), '[')
		for i, e := range c.visible {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, e.Compact()...)
		}
		c.allTools = append(b, ']')
	})
	return c.allTools
}
