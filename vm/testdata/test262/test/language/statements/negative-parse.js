/*---
description: a text that is none
negative:
  phase: parse
  type: SyntaxError
---*/
$DONOTEVALUATE();
let = ;
