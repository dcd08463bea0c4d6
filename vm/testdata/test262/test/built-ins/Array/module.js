/*---
description: the guest has no modules
flags: [module]
---*/
import './x.js';
