/*---
description: ends by $DONE, after a timer
flags: [async, noStrict]
---*/
setTimeout($DONE, 10);
