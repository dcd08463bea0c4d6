/*---
description: with is a statement
flags: [noStrict]
---*/
with ({ a: 1 }) assert.sameValue(a, 1);
