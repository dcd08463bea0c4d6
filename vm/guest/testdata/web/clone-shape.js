const d = Object.getOwnPropertyDescriptor(globalThis, 'structuredClone');
return [d.enumerable, d.writable, d.configurable, structuredClone.name, Object.hasOwn(structuredClone, 'prototype')];
