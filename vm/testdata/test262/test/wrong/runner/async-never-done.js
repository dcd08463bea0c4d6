/*---
description: never calls $DONE
flags: [async, noStrict]
---*/
0;
