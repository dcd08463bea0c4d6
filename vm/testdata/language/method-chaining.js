class Q { parts = []; where(x) { this.parts.push(x); return this; } build() { return this.parts.join(' AND '); } }
return new Q().where('a=1').where('b=2').build();
// => "a=1 AND b=2"
