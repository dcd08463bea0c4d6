// The guest's side of the bridge: the globals of contract 5.2 and the entry points the host calls.
//
// host(op, ...) is the only way out. It, the pending promises and everything else in here are reachable
// by closures alone; guest code sees nothing but the frozen helpers. See render.js for how this code
// stays independent of what guest code patches.
(function (global, host, lib) {
  'use strict';
  const { apply, ownKeys, defineProperty, getOwnPropertyDescriptor } = Reflect;
  const { freeze, keys: objectKeys } = Object;
  const { isArray } = Array;
  const { parse, stringify } = JSON;
  const { imul } = Math;
  const { isInteger } = Number;
  const $Promise = Promise, $Error = Error, $TypeError = TypeError, $RangeError = RangeError, $Proxy = Proxy;
  const bindCall = Function.prototype.bind.bind(Function.prototype.call);
  const promiseThen = bindCall(Promise.prototype.then);
  const promiseReject = Promise.reject.bind(Promise);
  const trim = bindCall(String.prototype.trim);
  const weakAdd = bindCall(WeakSet.prototype.add);
  const weakHas = bindCall(WeakSet.prototype.has);
  const { render, messageOf } = lib;

  // Operations of host(); the numbers are those of vm/bridge.go.
  const OP_EMIT = 0, OP_REQUEST = 1, OP_LOAD = 2, OP_TIMER = 3, OP_CLEAR = 4, OP_OVERFLOW = 5;

  let maxOutput = 0, maxInput = 0;
  const pending = { __proto__: null }; // request number -> { resolve, reject, then? }
  const timers = { __proto__: null };  // request number -> { fn, args }
  const sentFailures = new WeakSet();  // errors of calls that had been sent (contract 14.4, nested_tool_failed)

  const seal = (target, name, value) => defineProperty(target, name, { __proto__: null, value, enumerable: true, writable: false, configurable: false });
  const lazy = (name, make) => {
    let made;
    const get = () => (made === undefined ? (made = make()) : made);
    defineProperty(global, name, { __proto__: null, get, set: undefined, enumerable: true, configurable: false });
    return get;
  };

  // Makes a function whose name and length are as documented, and which is frozen.
  const method = (name, length, fn) => {
    defineProperty(fn, 'name', { __proto__: null, value: name });
    defineProperty(fn, 'length', { __proto__: null, value: length });
    return freeze(fn);
  };

  function deepFreeze(v) {
    if (typeof v !== 'object' || v === null) return v;
    const names = ownKeys(v);
    for (let i = 0; i < names.length; i++) deepFreeze(v[names[i]]);
    return freeze(v);
  }

  // ---- values out ----
  function output(v) {
    const text = render(v, maxOutput, false);
    if (text === undefined) host(OP_OVERFLOW);
    return text;
  }

  function inputText(v) {
    const text = render(v === undefined || v === null ? {} : v, maxInput, true);
    if (text === undefined) throw new $Error('code mode tool input is too large.');
    return text;
  }

  // The text form of a value: a string as it is, anything else its JSON text (contract 5.7); as JSON.
  const asText = (v) => {
    const text = output(v);
    return text[0] === '"' ? text : stringify(text);
  };

  // ---- requests ----
  // payload is JSON text; a later turn settles the promise.
  function request(name, payload) {
    const id = host(OP_REQUEST, name, payload);
    if (id === -2) return rejected(new $Error('code mode tool input is too large.'));
    if (id < 0) throw new $Error('too many pending code mode tool calls');
    return new $Promise((resolve, reject) => { pending[id] = { __proto__: null, resolve, reject }; });
  }

  const rejected = (error) => promiseReject(error);

  function callTool(name, id, input) {
    let text;
    try { text = inputText(input); } catch (error) { return rejected(error); }
    return request(name, '[' + (typeof id === 'string' ? stringify(id) : 'null') + ',' + text + ']');
  }

  // Asks the host for data that is made on first use. An answer begins with '+', a refusal with '!'.
  function load(kind, argument) {
    const answer = host(OP_LOAD, kind, argument === undefined ? '' : argument);
    if (answer[0] === '!') throw new $Error(apply(sliceOne, answer, [1]));
    return answer.length === 1 ? undefined : parse(apply(sliceOne, answer, [1]));
  }
  const sliceOne = String.prototype.slice;

  const later = (make) => {
    try {
      return new $Promise((resolve) => resolve(make()));
    } catch (error) {
      return rejected(error);
    }
  };

  // ---- tools ----
  function buildTools() {
    const target = { __proto__: null };
    const add = (name, length, fn) => { target[name] = method(name, length, fn); };
    add('search', 1, (...a) => {
      const options = a[1];
      let limit;
      if (typeof options === 'object' && options !== null) {
        try { limit = options.limit; } catch (error) { return rejected(error); }
      }
      const given = typeof limit === 'number' ? (isInteger(limit) && limit > 0 ? ',' + limit : ',-1') : '';
      return request('search', '[' + (typeof a[0] === 'string' ? quoteText(a[0]) : 'null') + given + ']');
    });
    add('describe', 1, (...a) => request('describe', '[' + (typeof a[0] === 'string' ? quoteText(a[0]) : 'null') + ']'));
    add('callValue', 1, (...a) => callTool('callValue', a[0], a[1]));
    add('call', 1, (...a) => callTool('call', a[0], a[1]));

    // Convenience functions are looked up by name on first use, so that a cell costs the same whatever
    // the size of the catalogue; whoever asks for all names gets them all, on a frozen object.
    let complete = false;
    const find = (name) => {
      if (typeof name !== 'string') return undefined;
      const own = getOwnPropertyDescriptor(target, name);
      if (own !== undefined || complete) return own;
      const id = load('tool', name);
      if (id === undefined) return undefined;
      target[name] = method(name, 0, (...a) => callTool('callValue', id, a[0]));
      return getOwnPropertyDescriptor(target, name);
    };
    const all = () => {
      if (complete) return;
      const names = load('tools');
      for (let i = 0; i < names.length; i++) find(names[i]);
      complete = true;
      freeze(target);
    };
    const no = () => false;
    return new $Proxy(target, {
      __proto__: null,
      get: (t, name) => find(name)?.value,
      has: (t, name) => find(name) !== undefined,
      ownKeys: (t) => { all(); return ownKeys(t); },
      getOwnPropertyDescriptor: (t, name) => { all(); return getOwnPropertyDescriptor(t, name); },
      isExtensible: (t) => { all(); return false; },
      preventExtensions: (t) => { all(); return true; },
      set: no, defineProperty: no, deleteProperty: no, setPrototypeOf: (t, proto) => proto === null,
    });
  }
  const quoteText = (s) => stringify(lib.toWellFormed(s));

  // ---- namespaces ----
  function namespaceCall(id, path) {
    return (...a) => {
      let text = '', count = a.length;
      try {
        for (let i = 0; i < count; i++) {
          if (a[i] === undefined) continue;
          const part = render(a[i], maxInput, true);
          if (part === undefined) throw new $Error('code mode tool input is too large.');
          text += (text === '' ? '' : ',') + '"' + i + '":' + part;
        }
      } catch (error) {
        return rejected(error);
      }
      return request('namespace', '{"id":' + stringify(id) + ',"path":' + stringify(path) + ',"count":' + count + ',"args":{' + text + '}}');
    };
  }

  function scopeValue(node, id, path) {
    switch (node.kind) {
      case 'object': {
        const out = { __proto__: null };
        const entries = node.entries === undefined ? [] : node.entries;
        for (let i = 0; i < entries.length; i++) seal(out, entries[i][0], scopeValue(entries[i][1], id, extend(path, entries[i][0])));
        return freeze(out);
      }
      case 'array': {
        const out = [];
        const items = node.items === undefined ? [] : node.items;
        for (let i = 0; i < items.length; i++) defineProperty(out, i, { __proto__: null, value: scopeValue(items[i], id, extend(path, '' + i)), enumerable: true });
        return freeze(out);
      }
      case 'function': return method(path.length > 0 ? path[path.length - 1] : id, 0, namespaceCall(id, path));
      default: return deepFreeze(node.value === undefined ? null : node.value);
    }
  }

  function extend(path, key) {
    const out = [];
    for (let i = 0; i < path.length; i++) defineProperty(out, i, { __proto__: null, value: path[i], enumerable: true });
    defineProperty(out, path.length, { __proto__: null, value: key, enumerable: true });
    return out;
  }

  const apiAnswer = (server, a) => later(() => {
    const selector = typeof a[0] === 'string' ? a[0] : '';
    const schema = typeof a[1] === 'object' && a[1] !== null && a[1].schema === true;
    return load('api.mcp', stringify(server) + (schema ? '+' : '-') + quoteText(selector));
  });

  function buildMCP() {
    const tree = load('mcp');
    const root = { __proto__: null };
    for (let i = 0; i < tree.servers.length; i++) {
      const { identifier, serverName, paths } = tree.servers[i];
      const server = { __proto__: null };
      seal(server, '$api', method('$api', 0, (...a) => apiAnswer(identifier, a)));
      seal(server, '$serverName', serverName);
      for (let k = 0; k < paths.length; k++) {
        const path = paths[k];
        let at = server;
        for (let n = 0; n < path.length - 1; n++) {
          if (getOwnPropertyDescriptor(at, path[n]) === undefined) seal(at, path[n], { __proto__: null });
          at = at[path[n]];
        }
        const last = path[path.length - 1];
        seal(at, last, method(last, 0, namespaceCall('mcp', joinPath(identifier, path))));
      }
      seal(root, identifier, deepFreezeBare(server));
    }
    seal(root, '$api', method('$api', 0, (...a) => apiAnswer('', a)));
    return freeze(root);
  }

  const joinPath = (first, rest) => {
    let out = extend([], first);
    for (let i = 0; i < rest.length; i++) out = extend(out, rest[i]);
    return out;
  };

  function deepFreezeBare(server) {
    const names = objectKeys(server);
    for (let i = 0; i < names.length; i++) if (typeof server[names[i]] === 'object') freeze(server[names[i]]);
    return freeze(server);
  }

  // ---- swarm ----
  function installSwarm() {
    const blank = (v) => typeof v !== 'string' || trim(v) === '';
    const quiet = (kind, v) => {
      const noted = request('swarmNote', '[' + stringify(kind) + ',' + quoteText(v) + ']');
      promiseThen(noted, undefined, () => undefined);
    };
    const note = (kind, v) => {
      if (blank(v)) throw new $TypeError(kind + ' note must be a non-empty string');
      quiet(kind, v);
    };
    const run = async (prompt, options) => {
      if (blank(prompt)) throw new $TypeError('agents.run prompt must be a non-empty string');
      if (options !== undefined && (typeof options !== 'object' || options === null || isArray(options))) throw new $TypeError('agents.run options must be an object');
      const given = options === undefined ? {} : options;
      const phase = given.phase;
      if (phase !== undefined) {
        if (blank(phase)) throw new $TypeError('agents.run phase must be a non-empty string');
        quiet('phase', phase);
      }
      const wanted = given.schema !== undefined;
      const child = await request('agentSpawn', '[' + quoteText(prompt) + ',' + inputText(given) + ']');
      const done = await request('agentWait', '[' + render(child?.runId, maxInput, true) + ']');
      const detail = firstText(done.error, done.schemaError, done.result);
      if (done.status !== 'done') throw swarmError(done, detail);
      if (!wanted) return done.result;
      if (done.structured === undefined) throw swarmError(done, firstText(done.schemaError, done.error, done.result));
      return done.structured;
    };
    const firstText = (...texts) => {
      for (let i = 0; i < texts.length; i++) if (!blank(texts[i])) return texts[i];
      return 'collector returned no result';
    };
    const swarmError = (done, detail) => {
      const error = new $Error('Swarm agent ' + done.runId + ' ' + done.status + ': ' + detail);
      const own = (name, value) => defineProperty(error, name, { __proto__: null, value, enumerable: name !== 'name', writable: true, configurable: true });
      own('name', 'SwarmAgentError');
      own('runId', done.runId);
      own('status', done.status);
      weakAdd(sentFailures, error);
      return error;
    };
    seal(global, 'agents', freeze({ run: method('run', 1, (...a) => run(a[0], a[1])) }));
    seal(global, 'phase', method('phase', 1, (...a) => note('phase', a[0])));
    seal(global, 'log', method('log', 1, (...a) => note('log', a[0])));
  }

  // ---- timers and microtasks ----
  const clampDelay = (v) => {
    const ms = typeof v === 'bigint' || typeof v === 'symbol' ? 0 : +v;
    return ms > 0 ? (ms < 86400000 ? ms : 86400000) : 0;
  };
  const settled = new $Promise((resolve) => resolve());
  // then() asks its receiver for its species; undefined here means the engine's own Promise.
  defineProperty(settled, 'constructor', { __proto__: null, value: undefined });

  const helpers = {
    __proto__: null,
    text: method('text', 1, (...a) => { host(OP_EMIT, 't', asText(a[0])); }),
    json: method('json', 1, (...a) => { host(OP_EMIT, 'j', output(a[0])); }),
    yield_control: method('yield_control', 0, (...a) => request('yield', typeof a[0] === 'string' ? '[' + quoteText(a[0]) + ']' : '[null]')),
    setTimeout: method('setTimeout', 1, (...a) => {
      const fn = a[0];
      if (typeof fn !== 'function') throw new $TypeError('setTimeout callback must be a function');
      const id = host(OP_TIMER, '' + clampDelay(a[1]));
      if (id < 0) throw new $RangeError('too many timers');
      const args = [];
      for (let i = 2; i < a.length; i++) defineProperty(args, i - 2, { __proto__: null, value: a[i], enumerable: true });
      timers[id] = { __proto__: null, fn, args };
      return id;
    }),
    clearTimeout: method('clearTimeout', 0, (...a) => {
      const id = a[0];
      if (typeof id !== 'number' || timers[id] === undefined) return;
      delete timers[id];
      host(OP_CLEAR, id);
    }),
    queueMicrotask: method('queueMicrotask', 1, (...a) => {
      const fn = a[0];
      if (typeof fn !== 'function') throw new $TypeError('queueMicrotask callback must be a function');
      promiseThen(settled, () => { apply(fn, undefined, []); });
    }),
    console: freeze(consoleObject()),
  };

  function consoleObject() {
    const out = {};
    const add = (name, prefix) => {
      out[name] = method(name, 0, (...a) => {
        let line = prefix;
        for (let i = 0; i < a.length; i++) line += (i > 0 ? ' ' : '') + parse(asText(a[i]));
        host(OP_EMIT, 't', quoteText(line));
      });
    };
    add('log', '');
    add('info', '[info] ');
    add('warn', '[warn] ');
    add('error', '[error] ');
    add('debug', '[debug] ');
    return out;
  }

  const API = freeze({
    list: method('list', 0, (...a) => later(() => load('api.list', typeof a[0] === 'string' ? a[0] : ''))),
    read: method('read', 1, (...a) => later(() => load('api.read', typeof a[0] === 'string' ? a[0] : ''))),
  });

  // Absent from the guest (contract 5.2); the last would hand out functions of this file as call sites.
  for (const name of ['SharedArrayBuffer', 'Atomics', 'WebAssembly']) delete global[name];
  delete $Error.prepareStackTrace;

  seal(global, 'tools', buildTools());
  seal(global, 'API', API);
  lazy('ALL_TOOLS', () => deepFreeze(load('catalog')));
  const mcp = lazy('MCP', buildMCP);
  lazy('namespaces', () => {
    const out = { __proto__: null };
    for (let i = 0; i < plugins.length; i++) seal(out, plugins[i], global[plugins[i]]);
    seal(out, 'MCP', mcp());
    return freeze(out);
  });
  for (const name of objectKeys(helpers)) seal(global, name, helpers[name]);
  for (const name of ['structuredClone', 'TextEncoder', 'TextDecoder', 'atob', 'btoa', 'URL', 'URLSearchParams']) {
    if (name in global) seal(global, name, global[name]);
  }

  // ---- random numbers: sfc32 over the run's seed (contract 5.11) ----
  let ra = 0, rb = 0, rc = 0, rd = 1;
  const random32 = () => {
    const t = (ra + rb + rd) | 0;
    rd = (rd + 1) | 0;
    ra = rb ^ (rb >>> 9);
    rb = (rc + (rc << 3)) | 0;
    rc = (rc << 21) | (rc >>> 11);
    rc = (rc + t) | 0;
    return t >>> 0;
  };
  const random = { random: () => (random32() * 2097152 + (random32() >>> 11)) / 9007199254740992 }.random;
  defineProperty(Math, 'random', { __proto__: null, value: random, enumerable: false, writable: true, configurable: true });

  // ---- entry points ----
  let plugins = [];
  // Sets a new run up; the host then calls the cell itself, so that no frame of this file is in its stacks.
  function start(out, input, a, b, c, setup) {
    maxOutput = out;
    maxInput = input;
    ra = a | 0; rb = b | 0; rc = c | 0; rd = 1;
    for (let i = 0; i < 12; i++) random32();
    if (setup !== undefined) {
      const { globals, swarm } = parse(setup);
      plugins = globals;
      const trees = { __proto__: null };
      for (let i = 0; i < globals.length; i++) {
        const globalName = globals[i];
        lazy(globalName, () => {
          const all = load('namespaces');
          for (let k = 0; k < all.length; k++) trees[all[k].globalName] = all[k];
          const own = trees[globalName];
          return scopeValue(own.scope, own.id, []);
        });
      }
      if (swarm) installSwarm();
    }
  }

  // How the answer to a request is delivered: 0 resolve with JSON, 1 reject locally, 2 reject a call
  // that had been sent, 3 fire a timer.
  function settle(id, how, text) {
    if (how === 3) {
      const timer = timers[id];
      delete timers[id];
      if (timer !== undefined) apply(timer.fn, undefined, timer.args);
      return;
    }
    const waiting = pending[id];
    delete pending[id];
    if (how === 0) {
      waiting.resolve(text === '' ? undefined : parse(text));
      return;
    }
    const error = new $Error(text);
    if (how === 2) weakAdd(sentFailures, error);
    waiting.reject(error);
  }

  // The facts about what a cell threw, as JSON: { text } for a value that is no error.
  function describe(thrown) {
    try {
      if (typeof thrown === 'object' && thrown !== null && typeof thrown.name === 'string' && typeof thrown.message === 'string') {
        let stack = thrown.stack;
        if (typeof stack !== 'string') stack = '';
        return '{"name":' + quoteText(thrown.name) + ',"message":' + quoteText(cut(thrown.message)) + ',"stack":' + quoteText(cut(stack)) +
          ',"sent":' + weakHas(sentFailures, thrown) + '}';
      }
    } catch (error) {
      return '{"text":' + quoteText('[Unserializable: ' + messageOf(error) + ']') + '}';
    }
    const text = render(thrown, maxOutput, false);
    if (text === undefined) return '{"text":"[a thrown value that is too large to show]"}';
    return '{"text":' + (text[0] === '"' ? text : stringify(text)) + '}';
  }
  const cut = (s) => (s.length > 32768 ? apply(sliceOne, s, [0, 32768]) : s);

  const globals = ownKeys(global).filter((name) => typeof name === 'string').join(' ');
  return { __proto__: null, start, settle, describe, value: output, globals };
})
