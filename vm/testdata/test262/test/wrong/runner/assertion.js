/*---
description: fails in both modes
---*/
assert.sameValue(1, 2);
