class Range { constructor(a, b) { this.a = a; this.b = b; } [Symbol.iterator]() { let i = this.a; return { next: () => i < this.b ? { value: i++, done: false } : { value: undefined, done: true } }; } }
return [Array.from(new Range(2, 5)), Math.max(...new Range(0, 4)), new Map([...new Range(0, 2)].map((x) => [x, x])).size];
// => [[2,3,4],3,2]
