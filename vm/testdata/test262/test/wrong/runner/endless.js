/*---
description: the deadline ends it
flags: [noStrict]
---*/
for (;;);
