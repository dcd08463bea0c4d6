/*---
description: what the host object can do
---*/
const buffer = new ArrayBuffer(8);
$262.detachArrayBuffer(buffer);
assert.sameValue(buffer.byteLength, 0);
$262.evalScript('var made = 7;');
assert.sameValue($262.global.made, 7);
