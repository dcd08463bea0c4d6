package catalog

import (
	"encoding/json"
	"slices"
	"strings"

	"codemode/protocol"
)

// Surface makes the tool definitions the model is given: exec, wait, then the direct-only tools in their
// original order (contract 3.2 to 3.7). A nil catalogue is one that is not known yet. active is false,
// and there are no definitions, where code mode does not activate: it is disabled, or the run has no
// tools (contract 3.1). Errors are those of ForRun.
func Surface(cfg protocol.Config, swarm protocol.Swarm, c *Catalog, namespaces []protocol.Namespace) ([]protocol.ToolDefinition, bool, error) {
	if !cfg.Enabled || c != nil && len(c.entries)+len(c.direct) == 0 {
		return nil, false, nil
	}
	var v *View
	if c != nil {
		var err error
		if v, err = c.ForRun(namespaces, swarm.Enabled); err != nil {
			return nil, false, err
		}
	}
	tools := []protocol.ToolDefinition{
		{Name: toolExec, Label: toolExec, Description: execDescription(v, swarm.Enabled), Parameters: json.RawMessage(execSchema)},
		{Name: toolWait, Label: toolWait, Description: waitDescription, Parameters: json.RawMessage(waitSchema), HiddenFromProgress: true},
	}
	if c == nil {
		return tools, true, nil
	}
	for _, e := range c.direct {
		parameters := e.tool.Parameters
		if parameters == nil {
			parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		tools = append(tools, protocol.ToolDefinition{
			Name: e.tool.Name, Label: e.tool.Label, Description: e.tool.Description, Parameters: parameters,
		})
	}
	return tools, true, nil
}

// KeepSurface gives the names of a payload's tools that may stay in it: exec, wait and approved
// direct-only ones (contract 3.8). The list is never nil.
func KeepSurface(names, directOnly []string) []string {
	kept := []string{}
	for _, n := range names {
		if n == toolExec || n == toolWait || slices.Contains(directOnly, n) {
			kept = append(kept, n)
		}
	}
	return kept
}

// VerifySurface checks the tool names of a final payload: exactly one exec, exactly one wait, no
// duplicates and nothing but approved direct-only names besides (contract 3.8). nil stands for a payload
// without tools. A request that fails must not be sent.
func VerifySurface(names []string, directOnly []string) error {
	const violation = "Code mode payload tool surface violation: expected exec,wait"
	if names == nil {
		return rejection(violation + "; got no tools")
	}
	count := make(map[string]int, len(names))
	fine := true
	for _, n := range names {
		count[n]++
		fine = fine && count[n] == 1 && (n == toolExec || n == toolWait || slices.Contains(directOnly, n))
	}
	if fine && count[toolExec] == 1 && count[toolWait] == 1 {
		return nil
	}
	got := strings.Join(names, ",")
	if len(names) == 0 {
		got = "none"
	}
	return rejection(violation + " plus direct-only tools; got " + got)
}
