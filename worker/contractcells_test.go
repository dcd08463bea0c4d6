package worker_test

import (
	"encoding/json"
	"strings"
	"testing"

	"codemode/internal/natstest"
	"codemode/protocol"
)

// cellCase is a cell and what it gives: value for a completed run, or detail and a part of the error.
type cellCase struct {
	name, code string
	more       map[string]any // of the job
	value      string
	detail     protocol.Detail
	text       string
}

// labTools are the tools of the cell tests; labAnswer says what each does.
var labTools = json.RawMessage(`{"tools":[
	{"source":"openclaw","name":"echo","description":"Gives its input back.","parameters":{"type":"object","properties":{"n":{"type":"number"}}},"replaySafe":true},
	{"source":"openclaw","name":"raw","description":"A result without details."},
	{"source":"openclaw","name":"fail","description":"Fails."},
	{"source":"openclaw","name":"long","description":"Fails at length."},
	{"source":"openclaw","name":"denied","description":"Refused by policy."},
	{"source":"openclaw","name":"exec","description":"Runs a shell command."},
	{"source":"openclaw","name":"then"},{"source":"openclaw","name":"toJSON"},{"source":"openclaw","name":"search"},
	{"source":"openclaw","name":"constructor"},{"source":"openclaw","name":"__proto__"},{"source":"openclaw","name":"hasOwnProperty"},
	{"source":"openclaw","name":"9lives"},{"source":"openclaw","name":"__openclawHost"},{"source":"openclaw","name":"a-b"},{"source":"openclaw","name":"a_b"},
	{"source":"openclaw","owner":"shop","name":"order_list","description":"Lists orders.","outputSchema":{"type":"array","items":{"type":"string"}}},
	{"source":"openclaw","owner":"shop","name":"order_bad","description":"Declares another output.","outputSchema":{"type":"number"}},
	{"source":"openclaw","owner":"shop","name":"order_torn","description":"Declares nonsense.","outputSchema":{"type":"nonsense"}},
	{"source":"client","owner":"app","name":"select_file","description":"Asks for a file.","parameters":{"type":"object","properties":{"path":{"type":"string"}}},"outputSchema":{"type":"number"}},
	{"source":"mcp","name":"github__create_issue","description":"Creates an issue.","mcp":{"serverName":"GitHub","toolName":"create_issue"},
	 "parameters":{"type":"object","properties":{"title":{"type":"string"},"repo":{"type":"string"},"draft":{"type":"boolean","default":false}},"required":["repo","title"]}},
	{"source":"mcp","name":"github__res","mcp":{"serverName":"GitHub","toolName":"resources/read","operation":"resources_read"}}],
	"namespaces":[{"id":"shop","pluginId":"shop","globalName":"Shop","requiredToolNames":["order_list","order_bad"],"description":"Orders.",
	 "scope":{"kind":"object","entries":[["list",{"kind":"function","toolName":"order_list","params":["state","page"]}],["bad",{"kind":"function","toolName":"order_bad"}],
	  ["torn",{"kind":"function","toolName":"order_torn"}],["limits",{"kind":"object","entries":[["max",{"kind":"value","value":9}]]}],["states",{"kind":"array","items":[{"kind":"value","value":"open"}]}]]}}]}`)

func labAnswer(c protocol.Call) []byte {
	answer := func(body string) []byte { return []byte(`{"v":1,"callId":"` + c.CallID + `",` + body + `}`) }
	switch c.ToolName {
	case "raw":
		return answer(`"ok":true,"result":{"content":[{"type":"text","text":"hi"}],"more":1}`)
	case "fail":
		return answer(`"ok":false,"error":{"message":"no such row"}`)
	case "long":
		return answer(`"ok":false,"error":{"message":"` + strings.Repeat("é", 40_000) + `"}`)
	case "denied":
		return answer(`"ok":false,"error":{"message":"","kind":"blocked"}`)
	case "order_list":
		return answer(`"ok":true,"value":["o1"]`)
	case "order_bad":
		return answer(`"ok":true,"value":"secret-value"`)
	case "github__create_issue":
		return answer(`"ok":true,"result":{"content":[],"structuredContent":` + string(c.Input) + `,"isError":true}`)
	}
	return answer(`"ok":true,"value":` + string(c.Input))
}

// caught wraps the body of a cell that collects the messages of what it tries.
func caught(calls ...string) string {
	return "const out = []; for (const f of [" + "() => " + strings.Join(calls, ", () => ") + "]) try { out.push(await f()) } catch (e) { out.push(e.name + ': ' + e.message) } return out"
}

func list(items ...string) string {
	data, err := protocol.Marshal(items)
	if err != nil {
		panic(err)
	}
	return string(data)
}

var onSwarm = map[string]any{"swarm": true}

var contractCells = []cellCase{
	{name: "5.1 sloppy function body", code: `undeclared = 5; return [undeclared, this === globalThis]`, value: `[5,true]`},
	{name: "5.2 globals are fixed", code: `"use strict"; const out = [];
		for (const n of ["ALL_TOOLS","tools","API","MCP","namespaces","text","json","yield_control","console","setTimeout","Shop"]) {
			const d = Object.getOwnPropertyDescriptor(globalThis, n);
			let assigned = true; try { globalThis[n] = 1 } catch { assigned = false }
			if (assigned || d.configurable || !d.enumerable || d.writable) out.push(n);
		} return out`, value: `[]`},
	{name: "5.2 frozen through and through", code: `const deep = (v) => (typeof v !== "object" && typeof v !== "function") || v === null || Object.isFrozen(v) && Reflect.ownKeys(v).every((k) => deep(v[k]));
		return [deep(ALL_TOOLS), deep(tools), deep(API), deep(MCP), deep(namespaces), deep(Shop), Object.getPrototypeOf(tools), Object.getPrototypeOf(namespaces), Object.getPrototypeOf(Shop), Object.getPrototypeOf(Shop.limits)]`,
		value: `[true,true,true,true,true,true,null,null,null,null]`},
	{name: "5.2 swarm globals are frozen", more: onSwarm, code: `return [Object.isFrozen(agents), Object.isFrozen(agents.run), typeof phase, typeof log, (await API.list()).files[0].path]`, value: `[true,true,"function","function","agents.d.ts"]`},
	{name: "5.2 absent", code: `return [typeof process, typeof require, typeof module, typeof fetch, typeof setInterval, typeof SharedArrayBuffer, typeof Atomics, typeof WebAssembly, typeof crypto, typeof __openclawHostRequest, typeof agents]`,
		value: `["undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined"]`},
	{name: "5.3 entries", code: `const by = Object.fromEntries(ALL_TOOLS.map((t) => [t.name, t])); return [by.echo, by.select_file, by.order_list, ALL_TOOLS.some((t) => t.source === "mcp")]`,
		value: `[{"id":"openclaw:core:echo","source":"openclaw","sourceName":"core","name":"echo","description":"Gives its input back.","input":"{ n?: number; ... }"},` +
			`{"id":"client:app:select_file","source":"client","sourceName":"app","name":"select_file","description":"Asks for a file.","input":"unknown"},` +
			`{"id":"openclaw:shop:order_list","source":"openclaw","sourceName":"shop","name":"order_list","description":"Lists orders.","input":"unknown","output":"Array<string>"},false]`},
	{name: "5.4 argument errors", code: caught(`tools.search(5)`, `tools.search("x", { limit: 0 })`, `tools.search("x", { limit: 1.5 })`, `tools.search("x", { limit: Infinity })`, `tools.describe(5)`, `tools.callValue({})`, `tools.call()`),
		value: list("Error: search query must be a string.", "Error: limit must be a positive integer.", "Error: limit must be a positive integer.", "Error: limit must be a positive integer.",
			"Error: describe id must be a string.", "Error: callValue id must be a string.", "Error: call id must be a string.")},
	{name: "5.4 limits that are ignored", code: `return [(await tools.search("order", { limit: "1" })).length, (await tools.search("order", null)).length, (await tools.search("", { limit: 2 })).length]`, value: `[3,3,2]`},
	{name: "5.4 inputs that count as none", code: `return [await tools.echo(), await tools.echo(null), await tools.callValue(" echo ", undefined), await tools.echo({ n: 1 }, { n: 2 }), await tools.echo("text"), await tools.echo([1])]`, value: `[{},{},{},{"n":1},"text",[1]]`},
	{name: "5.4 result forms", code: `return [await tools.raw(), (await tools.call("raw")).result, (await tools.call("raw")).tool.id]`,
		value: `[{"content":[{"type":"text","text":"hi"}],"more":1},{"content":[{"type":"text","text":"hi"}],"more":1},"openclaw:core:raw"]`},
	{name: "5.4 describe", code: `const d = await tools.describe("select_file"); const e = await tools.describe("raw"); return [d.parameters.type, "outputSchema" in d, e.parameters, (await tools.describe("order_list")).outputSchema.type]`, value: `["object",false,{},"array"]`},
	{name: "5.5 convenience names", code: `return [typeof tools.then, typeof tools.toJSON, typeof tools.constructor, typeof tools.hasOwnProperty, typeof tools.__proto__, typeof tools.tool_9lives, typeof tools.tool___openclawHost, typeof tools.a_b, typeof tools["a-b"],
		await tools.callValue("openclaw:core:then", { a: 1 }), await tools.callValue("constructor", { b: 2 }), await tools.callValue("__proto__", { c: 3 }), tools.search.length, await tools.exec({ command: "ls" })]`,
		value: `["undefined","undefined","undefined","undefined","undefined","function","function","undefined","undefined",{"a":1},{"b":2},{"c":3},1,{"command":"ls"}]`},
	{name: "5.5 tools is no thenable", code: `const t = await tools; return [typeof t.search, JSON.stringify(tools)]`, value: `["function","{}"]`},
	{name: "5.6 lists", code: `const n = async (p) => (await API.list(p)).files.map((f) => f.path); return [await n(), await n(null), await n("  "), await n("mcp//"), await n("/mcp"), await n("mcp/git"), await n("nope")]`,
		value: `[["mcp/index.d.ts","mcp/gitHub.d.ts"],["mcp/index.d.ts","mcp/gitHub.d.ts"],["mcp/index.d.ts","mcp/gitHub.d.ts"],["mcp/index.d.ts","mcp/gitHub.d.ts"],["mcp/index.d.ts","mcp/gitHub.d.ts"],[],[]]`},
	{name: "5.6 paths", code: caught(`API.read("")`, `API.read("a//b")`, `API.read("../x")`, `API.read("./x")`, `API.read()`, `API.read(" /mcp/index.d.ts ").then((f) => f.path)`, `API.read("nope")`, `API.list("mcp/../x")`),
		value: list("Error: invalid API file path", "Error: invalid API file path", "Error: invalid API file path", "Error: invalid API file path", "Error: invalid API file path", "mcp/index.d.ts", "Error: Unknown API file: nope", "Error: invalid API file path")},
	{name: "5.6 sizes", code: `const f = await API.read("mcp/gitHub.d.ts"); const l = (await API.list("mcp/gitHub.d.ts")).files[0]; return [Object.keys(f).sort(), Object.keys(l).sort(), f.bytes === new TextEncoder().encode(f.content).length, l.bytes === f.bytes]`,
		value: `[["bytes","content","description","path"],["bytes","description","path"],true,true]`},
	{name: "5.9 delays", code: `const seen = []; const at = (d) => new Promise((r) => setTimeout(() => { seen.push(typeof d); r() }, d));
		await Promise.all([at(NaN), at("x"), at(-5), at({}), at(10n), at(Symbol("s"))]); clearTimeout(99); clearTimeout("x"); return [seen, typeof setTimeout(() => {}, 1)]`,
		value: `[["number","string","number","object","bigint","symbol"],"number"]`},
	{name: "5.9 callbacks", code: caught(`setTimeout("code")`, `setTimeout()`), value: list("TypeError: setTimeout callback must be a function", "TypeError: setTimeout callback must be a function")},
	{name: "5.12 inputs that are refused", code: `const cyc = {}; cyc.me = cyc; let deep = {}; for (let i = 0; i < 600; i++) deep = { deep };
		const out = []; for (const v of [Promise.resolve(1), { a: [Promise.resolve(1)] }, cyc, deep, { get x() { throw new Error("boom") } }, () => 1, Symbol("s"), new Proxy({}, { ownKeys() { throw new Error("trap") } })])
		try { out.push(await tools.echo(v)) } catch (e) { out.push(e.name + (e.message.startsWith("tool input is not JSON-compatible: ") ? "" : e.message)) } return out`,
		value: `["TypeError","TypeError","TypeError","TypeError","TypeError","TypeError","TypeError","TypeError"]`},
	{name: "5.12 inputs that convert", code: `return await tools.echo({ u: undefined, f() {}, s: Symbol("s"), n: NaN, b: 10n, z: -0, d: new Date(0), m: new Map([["k", new Set([1])]]), e: new RangeError("r"), t: new Uint8Array([1]), a: [undefined, () => 1], r: /x/g, o: Object(5), p: { ["__proto__"]: 1 } })`,
		value: `{"n":null,"b":"10","z":0,"d":"1970-01-01T00:00:00.000Z","m":{"k":[1]},"e":{"name":"RangeError","message":"r"},"t":[1],"a":[null,null],"r":"/x/g","o":5,"p":{"__proto__":1}}`},
	{name: "5.12 depth", code: `let a = 0; for (let i = 0; i < 512; i++) a = [a]; let b = 0; for (let i = 0; i < 513; i++) b = [b]; return [JSON.stringify(await tools.echo(a)).length, await tools.echo(b).catch((e) => e.name)]`, value: `[1025,"TypeError"]`},
	{name: "5.13 a long failure is cut", code: `return await tools.long()`, detail: protocol.DetailNestedToolFailed, text: "Error: éé"},
	{name: "5.13 host errors are plain", code: `try { await tools.fail() } catch (e) { return [e.constructor === Error, e instanceof Error, Object.keys(e), e.message] }`, value: `[true,true,[],"no such row"]`},
	{name: "6.6 lookup", code: caught(`tools.callValue("mcp:GitHub:github__create_issue")`, `tools.describe("zzz")`, `tools.describe("")`),
		value: list(`Error: Unknown tool id: mcp:GitHub:github__create_issue. Use tools.search to find a tool, tools.describe to inspect it, then tools.call with the exact id or name.`,
			`Error: Unknown tool id: zzz. Use tools.search to find a tool, tools.describe to inspect it, then tools.call with the exact id or name.`,
			`Error: Unknown tool id: . Use tools.search to find a tool, tools.describe to inspect it, then tools.call with the exact id or name.`)},
	{name: "6.8 refusals", code: caught(`tools.denied()`, `tools.fail()`), value: list(`Error: Tool "openclaw:core:denied" was blocked before execution: Tool call blocked by policy`, "Error: no such row")},
	{name: "6.9 declared outputs everywhere", code: caught(`tools.order_bad()`, `tools.call("order_bad")`, `Shop.bad()`, `tools.order_torn()`, `tools.order_list()`, `Shop.list("open")`, `tools.select_file({ path: "p" })`),
		value: `["Error: Tool \"openclaw:shop:order_bad\" returned details that do not match its declared outputSchema.","Error: Tool \"openclaw:shop:order_bad\" returned details that do not match its declared outputSchema.",` +
			`"Error: Tool \"openclaw:shop:order_bad\" returned details that do not match its declared outputSchema.","Error: Tool \"openclaw:shop:order_torn\" has an invalid outputSchema.",["o1"],["o1"],{"path":"p"}]`},
	{name: "7.2 arguments", code: caught(`MCP.gitHub.createIssue()`, `MCP.gitHub.createIssue(undefined)`, `MCP.gitHub.createIssue(null)`, `MCP.gitHub.createIssue([])`, `MCP.gitHub.createIssue("x")`, `MCP.gitHub.createIssue({}, {})`, `MCP.gitHub.createIssue({ repo: "r" })`, `MCP.gitHub.createIssue({ repo: 1, title: 2, x: 3 })`),
		value: `["Error: Missing required MCP namespace arguments: repo, title","Error: MCP namespace tools accept one object argument.","Error: MCP namespace tools accept one object argument.","Error: MCP namespace tools accept one object argument.",` +
			`"Error: MCP namespace tools accept one object argument.","Error: MCP namespace tools accept one object argument.","Error: Missing required MCP namespace argument: title",` +
			`{"content":[],"structuredContent":{"repo":1,"title":2,"x":3,"draft":false},"isError":true}]`},
	{name: "7.3 $api", code: `const r = await MCP.$api(); const s = await MCP.gitHub.$api(); const t = await MCP.gitHub.$api(" create_issue ", { schema: true }); const n = await MCP.gitHub.$api("nope");
		return [r.header === (await API.read("mcp/index.d.ts")).content, Object.keys(r), r.servers, s.scope, s.tools.map((x) => x.method), s.header === (await API.read("mcp/gitHub.d.ts")).content, t.scope, Object.keys(t.schemas), t.server, n.scope, n.tools, "schemas" in s, MCP.gitHub.$serverName, typeof MCP.gitHub.resources.read]`,
		value: `[true,["kind","scope","header","servers","note"],[{"identifier":"gitHub","serverName":"GitHub","toolCount":2}],"server",["createIssue","resources.read"],true,"tool",["createIssue"],{"identifier":"gitHub","serverName":"GitHub"},"server",[],false,"GitHub","function"]`},
	{name: "8.5 argument mapping", code: `return [await Shop.list("open", undefined, "surplus"), namespaces.Shop === Shop, Shop.limits.max, Shop.states]`, value: `[["o1"],true,9,["open"]]`},
	{name: "2.4 no MCP entry, no MCP", more: map[string]any{"catalog": oneTool}, code: `return [Object.keys(MCP), (await API.list()).files.length, (await MCP.$api()).servers]`, value: `[["$api"],0,[]]`},
	{name: "9.3 host checks", more: onSwarm, code: caught(`agents.run("x", { schema: 5 })`, `agents.run("x", { schema: null })`, `agents.run("x", { fastMode: "slow" })`, `agents.run("x", { label: " " })`, `agents.run("x", { model: null })`, `agents.run("x", { thinking: 1 })`, `agents.run("x", { agentId: "" })`, `agents.run("x")`),
		value: `["Error: agents.run schema must be a JSON schema object.","Error: agents.run schema must be a JSON schema object.","Error: agents.run fastMode must be boolean or \"auto\".","Error: agents.run label must be a non-empty string.",` +
			`"Error: agents.run model must be a non-empty string.","Error: agents.run thinking must be a non-empty string.","Error: agents.run agentId must be a non-empty string.","Error: agents.run requires the sessions_spawn tool."]`},
	{name: "9.1 guest checks", more: onSwarm, code: caught(`agents.run()`, `agents.run(" ")`, `agents.run("x", null)`, `agents.run("x", [])`, `agents.run("x", { phase: " " })`, `phase("")`, `log(5)`),
		value: `["TypeError: agents.run prompt must be a non-empty string","TypeError: agents.run prompt must be a non-empty string","TypeError: agents.run options must be an object","TypeError: agents.run options must be an object",` +
			`"TypeError: agents.run phase must be a non-empty string","TypeError: phase note must be a non-empty string","TypeError: log note must be a non-empty string"]`},
	{name: "8.7 rejections", code: caught(`Shop.torn()`, `namespaces.MCP === MCP`), value: `["Error: Code mode namespace path targets undeclared tool: order_torn",true]`},
}

// TestContractCells: corner cases of contract 5 to 8, each by a cell over NATS.
func TestContractCells(t *testing.T) {
	t.Parallel()
	url := natstest.Server(t)
	startWorker(t, url, nil)
	g := newGateway(t, url, labAnswer)
	for _, c := range contractCells {
		t.Run(c.name, func(t *testing.T) {
			more := map[string]any{"catalog": map[string]any{"inline": labTools}}
			for k, v := range c.more {
				more[k] = v
			}
			r := g.exec(c.code, more)
			if c.detail != "" {
				mustFail(t, r, c.detail, c.text)
				if len(r.Result.Error) > 16384 {
					t.Errorf("the error has %d bytes", len(r.Result.Error))
				}
				return
			}
			mustComplete(t, r, c.value)
		})
	}
}
