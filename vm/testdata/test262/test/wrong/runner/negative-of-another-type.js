/*---
description: throws another error
negative:
  phase: runtime
  type: RangeError
flags: [noStrict]
---*/
null.x;
