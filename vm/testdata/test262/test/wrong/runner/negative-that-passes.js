/*---
description: should throw and does not
negative: { phase: runtime, type: TypeError }
flags: [noStrict]
---*/
0;
