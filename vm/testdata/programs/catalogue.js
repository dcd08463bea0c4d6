const names = Object.keys(tools);
const hit = await tools.search('anything', { limit: 3 }).catch((e) => e.message);
const made = await tools.order_list({ a: 1 }).catch((e) => e.message);
const mcp = await MCP.files.read({ path: '/x' }).catch((e) => e.message);
const ns = await namespaces.MCP.files.dir.list().catch((e) => e.message);
return [names, ALL_TOOLS.map((t) => t.id), Array.isArray(hit) || typeof hit, typeof made, typeof mcp, typeof ns, (await API.list()).files.length];
