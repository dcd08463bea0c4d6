Modules cannot be loaded, however the attempt is hidden from the source checks.

//// import in eval
//: want fails module_access_denied
eval('import("fs")');

//// import in eval, awaited and caught
//: want fails module_access_denied
try { await eval('import("node:fs")'); } catch (e) { return e.message; }

//// import in a Function
//: want fails module_access_denied
await new Function('return import("fs")')();

//// import in an AsyncFunction
//: want fails module_access_denied
await (async () => 0).constructor('await import("os")')();

//// import in a template in eval
//: want fails module_access_denied
return `${await (0, eval)('import(`std`)')}`;

//// import of a text made at run time
//: want fails module_access_denied
return await eval('imp' + 'ort("' + ['q', 's'].join('') + '")');

//// import of a data URL
//: want fails module_access_denied
await eval('import("data:text/javascript,1")');

//// import with attributes
//: want fails module_access_denied
await eval('import("x.json", { with: { type: "json" } })');

//// import of what throws when it becomes text
//: want value "caught"
try { await eval('import({ toString() { throw new Error("no"); } })'); } catch { return 'caught'; }

//// import whose text runs a loop
//: want fails timeout
await eval('import({ toString() { for (;;); } })');

//// import in a microtask that nobody waits for
//: want fails module_access_denied
queueMicrotask(() => { eval('import("x")'); });
return 1;

//// an import declaration in eval
//: want throws SyntaxError: Unexpected identifier 'fs'
eval('import fs from "fs"');

//// import.meta in eval
//: want throws SyntaxError: import.meta only valid in module code
return eval('import.meta');

//// require by name
//: want fails module_access_denied
require('fs');

//// process by name
//: want fails module_access_denied
return process.env;

//// require in a Function
//: want fails module_access_denied
return new Function('return require("fs")')();

//// typeof require does not fail
//: want value ["undefined","undefined"]
return [typeof require, typeof globalThis.process];
