class P { static count = 0; #secret = 1; name = 'n'; ['comp' + 1] = 2; static { P.count = 10; } reveal() { return this.#secret; } }
const p = new P();
return [p, P.count, p.reveal(), Object.keys(p)];
// => [{"name":"n","comp1":2},10,1,["name","comp1"]]
