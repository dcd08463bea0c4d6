/*---
description: >
  a harness file,
  in the other notation
includes:
  - pairs.js
features: [Array.prototype.at]
---*/
assert.sameValue(pairs.at(-1)[0], 3);
