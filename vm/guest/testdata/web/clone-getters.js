const log = [];
const o = { get a() { log.push('a'); return { get inner() { log.push('inner'); return 1; } }; }, get b() { log.push('b'); delete o.c; return 2; }, c: 3, get d() { log.push('d'); return 4; } };
const c = structuredClone(o);
const d = Object.getOwnPropertyDescriptor(c, 'a');
return [c, log, d.writable, d.enumerable, d.configurable, typeof d.get];
