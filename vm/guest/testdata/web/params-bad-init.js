const out = [];
for (const init of [[['a']], [['a', 'b', 'c']], ['ab'], [1], [null], [[]], { [Symbol.iterator]: 5 }, Symbol('x'), { a: Symbol('y') }, [['a', Symbol('z')]]]) { try { out.push([...new URLSearchParams(init)]); } catch (e) { out.push(e.name); } }
return out;
