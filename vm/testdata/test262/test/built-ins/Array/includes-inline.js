/*---
description: a harness file
includes: [pairs.js]
---*/
assert.sameValue(pairs.flat().length, 4);
