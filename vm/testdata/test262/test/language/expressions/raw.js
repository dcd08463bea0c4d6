/*---
description: nothing is put before it
flags: [raw]
---*/
if (typeof assert !== 'undefined') throw new Error('the harness is there');
