/*---
description: runs in sloppy and in strict mode
---*/
assert.sameValue(typeof undeclared, 'undefined');
