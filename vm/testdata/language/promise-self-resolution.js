let r;
const p = new Promise((ok) => { r = ok; });
r(p);
return await p.catch((e) => e instanceof TypeError);
// => true
