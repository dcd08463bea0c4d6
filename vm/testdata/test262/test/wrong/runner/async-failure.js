/*---
description: calls $DONE with an error
flags: [async, noStrict]
---*/
Promise.reject(new Error('no')).then($DONE, $DONE);
