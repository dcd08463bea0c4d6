/*---
description: the guest has no Atomics
features: [Atomics]
---*/
Atomics.load();
