class P { #hidden = 1; constructor() { this.x = 1; this.y = { z: 2 }; } get computed() { return 5; } method() {} }
const c = structuredClone(new P());
return [c, Object.getPrototypeOf(c) === Object.prototype, c instanceof P, 'computed' in c];
