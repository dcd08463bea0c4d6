try { structuredClone({ get a() { throw new RangeError('mine'); } }); } catch (e) { return [e.name, e.message]; }
