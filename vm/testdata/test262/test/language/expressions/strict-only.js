/*---
description: this is undefined in a strict function
flags: [onlyStrict]
---*/
assert.sameValue((function () { return this; })(), undefined);
