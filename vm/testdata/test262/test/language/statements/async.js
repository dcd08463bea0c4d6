/*---
description: ends by $DONE, in a later job
flags: [async]
---*/
Promise.resolve(5).then((v) => { assert.sameValue(v, 5); }).then($DONE, $DONE);
