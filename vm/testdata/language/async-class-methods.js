class A { async m() { return this.v; } v = 4; static async s() { return 's'; } async *g() { yield 1; } }
const out = [await new A().m(), await A.s()];
for await (const x of new A().g()) out.push(x);
return out;
// => [4,"s",1]
