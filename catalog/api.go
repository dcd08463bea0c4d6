package catalog

import (
	"strconv"
	"strings"

	"codemode/catalog/internal/ordered"
)

// apiFile is a read-only file that guest code sees through API (contract 5.6).
type apiFile struct {
	path, description, content string
}

// agentsFile is there with swarm on (contract 9.1).
var agentsFile = &apiFile{
	path:        "agents.d.ts",
	description: "Types of agents.run, phase and log.",
	content: `type AgentRunOptions = {
  /** JSON Schema of the structured value wanted back. */
  schema?: Record<string, unknown>;
  /** Phase to note before the agent starts. */
  phase?: string;
  label?: string;
  model?: string;
  thinking?: string;
  agentId?: string;
  fastMode?: boolean | "auto";
};
declare const agents: {
  /** Run a child agent. Gives its result text, or the structured value where a schema is given. */
  run(prompt: string, options?: AgentRunOptions): Promise<unknown>;
};
/** Note that a phase of the work begins. Needs no await. */
declare function phase(title: string): void;
/** Note a line of progress. Needs no await. */
declare function log(message: string): void;
/** What agents.run rejects with when the child does not finish. */
interface SwarmAgentError extends Error {
  name: "SwarmAgentError";
  runId: string;
  status: "failed" | "killed" | "timeout";
}
`,
}

func (s *mcpServer) declaration() *apiFile {
	s.fileOnce.Do(func() {
		s.file = &apiFile{
			path:        "mcp/" + s.identifier + ".d.ts",
			description: "Tools of the MCP server " + oneLine(s.serverName) + ".",
			content:     s.header(s.tools),
		}
	})
	return s.file
}

// files lists what the run can read, in order; content is made when a server's file is first asked for.
func (v *View) files() []*apiFile {
	var list []*apiFile
	if v.swarm {
		list = append(list, agentsFile)
	}
	if !v.HasMCP() {
		return list
	}
	list = append(list, v.servers().index)
	for _, s := range v.servers().servers {
		list = append(list, s.declaration())
	}
	return list
}

// APIList is the answer of API.list: {"files":[{"path","description","bytes"}]} (contract 5.6). A blank
// prefix, which an absent one counts as, lists all. The error text is the guest's rejection.
func (v *View) APIList(prefix string) ([]byte, error) {
	prefix = strings.TrimRight(strings.TrimLeft(trim(prefix), "/"), "/")
	if prefix != "" && !apiPath(prefix) {
		return nil, errAPIPath
	}
	b := []byte(`{"files":[`)
	first := true
	for _, f := range v.files() {
		if prefix != "" && f.path != prefix && !strings.HasPrefix(f.path, prefix+"/") {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(f.appendHead(append(b, '{')), '}')
	}
	return append(b, "]}"...), nil
}

var errAPIPath error = rejection("invalid API file path")

// apiPath reports whether a path leads nowhere but down.
func apiPath(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "" || segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

func (f *apiFile) appendHead(b []byte) []byte {
	b = ordered.AppendString(append(b, `"path":`...), f.path)
	b = ordered.AppendString(append(b, `,"description":`...), f.description)
	return strconv.AppendInt(append(b, `,"bytes":`...), int64(len(f.content)), 10)
}

// APIRead is the answer of API.read: {"path","description","bytes","content"} (contract 5.6). The error
// text is the guest's rejection.
func (v *View) APIRead(path string) ([]byte, error) {
	path = strings.TrimLeft(trim(path), "/")
	if !apiPath(path) {
		return nil, errAPIPath
	}
	f := v.fileAt(path)
	if f == nil {
		return nil, rejection("Unknown API file: " + path)
	}
	b := ordered.AppendString(append(f.appendHead([]byte{'{'}), `,"content":`...), f.content)
	return append(b, '}'), nil
}

func (v *View) fileAt(path string) *apiFile {
	if v.swarm && path == agentsFile.path {
		return agentsFile
	}
	name, ok := strings.CutPrefix(path, "mcp/")
	name, isFile := strings.CutSuffix(name, ".d.ts")
	if !ok || !isFile || !v.HasMCP() {
		return nil
	}
	if name == "index" {
		return v.servers().index
	}
	if s := v.servers().byName[name]; s != nil {
		return s.declaration()
	}
	return nil
}
