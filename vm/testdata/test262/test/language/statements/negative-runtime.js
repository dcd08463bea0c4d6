/*---
description: an error of the engine
negative:
  phase: runtime
  type: ReferenceError
---*/
undeclared;
