package source

import "testing"

func TestModuleAccessRefused(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"await tools.one();\nconst fs = require('node:fs');\nreturn fs.readdirSync('/');", "const { exec } = require(`child_process`);",
		"return require?.('fs');", "return (0, require)('fs');", "return (require)('fs');", "return r\\u0065quire('fs')", "return r\\u{65}quire('fs')",
		"const r = require; return r('fs')", "return [require]", "return { require }", "return { a: require }", "f(require)", "return require.resolve('x')",
		"function f(a = require) {}", "const { a = require } = x", "class A extends require {}", "class A { x = require }", "class A { [require] = 1 }",
		"return () => require('x')", "return `${require('x')}`", "require`x`", "new require('x')", "require ||= 1", "with (x) { require('fs') }",
		"{ let require = 1 } return require('fs')", "function f(require) {} return require('x')", "(function require() {}); return require('x')",
		"(class require {}); return require('x')", "for (let require of x) {} return require('x')", "try {} catch (require) {} return require('x')",
		"return module.require('x')", "return module['require']('x')", "return (module)?.require('x')", "return process.getBuiltinModule('fs')",
		"return process[`getBuiltinModule`]('fs')", "return proc\\u0065ss.getBuiltinModule('fs')",
		"await tools.one();\nconst m = await import('x');\nreturn m;", "return `${await import('x')}`;", "let value = 4;\nreturn value++ / import('x') / 1;",
		"return import.meta.url;", "const u = new URL('.', import.meta.url);\nreturn u;", "new (import.meta.x)", "import('x')", "import.meta",
		"import fs from 'node:fs';\nreturn fs;", "import { a } from \"x\";\nreturn a;", "import 'x'", "import * as a from 'x'", "import {a} from `x`",
		"const s = '\U0001F600'; return import('x')", "/* \U0001F600 */ return require('x')",
		// text that does not parse
		"import('x') (", "return 1 1; require ('x')", "import . meta )", "import /* c */ { x", "re\\u0071uire('x') )", "return `${import('x')}` )", "import 'x", "{ /a/; import x",
	} {
		_, err := prepare(t, code, JavaScript)
		if got := kindOf(t, err); got != ModuleAccess {
			t.Errorf("%q: %v", code, got)
		}
	}
	for _, code := range []string{
		"const fs: any = require('fs');\nreturn fs;", "const m: unknown = await import('x');\nreturn m;", "import fs from 'fs'\nreturn 1",
		"import { A } from 'x'; let a: A; return a", "import fs = require('fs'); return fs", "export * from 'x'; import y from 'y'",
	} {
		_, err := prepare(t, code, TypeScript)
		if got := kindOf(t, err); got != ModuleAccess {
			t.Errorf("typescript %q: %v", code, err)
		}
	}
}

func TestModuleAccessAccepted(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"// import fs from 'fs'\n/* require('x') */\nconst a = \"import docs later: require('x')\";\nconst b = `import('x') and ${'require(`y`)'}`;\nconst c = /import.meta|require\\(/.test('import.meta');\nconst important = 1, requires = 2;\nreturn [a.length, b, c, important + requires]",
		"const api = { import: (n) => n + 1, require: (s) => `got ${s}`, sub: { import: { meta: 'm' } } };\nreturn [api.import(41), api.require('x'), api?.import?.(1), api['require']('y'), api.sub.import.meta]",
		"return [typeof require, typeof module, typeof process, typeof (require)]", "const require = (n) => n; return require(1)",
		"return require(1); function require(n) { return n }", "return require(1); { function require(n) { return n } }", "return f(1); function f(require) { return require(1) }",
		"return ((require) => require(1))(x)", "return (require => require(1))(x)", "return (async require => require(1))(x)", "return (function require(n) { return require(n) })",
		"return class require { static x = require }", "try { f() } catch (require) { require(1) }", "for (const require of x) require(1)",
		"const { require } = api; return require(1)", "const [module] = x; return module.require(1)", "var process = x; return process.getBuiltinModule(1)",
		"return module.exports", "return process.env", "require = 1; return 1", "return { require: 1, import: 2 }", "return { require() {}, import() {} }",
		"class A { require() {} static import = 1; #require = 1; f() { return this.#require } }", "r: for (;;) break r", "require: for (;;) break require",
		"let { require: x } = api; return x", "if (a) { var require = f } return require(1)", "let r\\u0065quire = 1; return require",
		"return x.process.getBuiltinModule(1)", "return a / b / import_(c)",
		// text that does not parse
		"return 1 1; api.import('x')", "return 1 1; api?.require ('x')", "return 1 1; 'import(x)'; `require(x)`; /import(x)/; // import(x)", "return 1 1; typeof require",
		"return 1 1; ({ import: 1 })", "return 1 1; a.\n/* c */ import(1)",
	} {
		_, err := prepare(t, code, JavaScript)
		if got := kindOf(t, err); got != 0 {
			t.Errorf("%q: %v", code, err)
		}
	}
	for _, code := range []string{"return [typeof require as string]", "import type { A } from 'x';\nconst a: A = 1;\nreturn a", "const require = (n: number) => n; return require(1)"} {
		if _, err := prepare(t, code, TypeScript); err != nil {
			t.Errorf("typescript %q: %v", code, err)
		}
	}
}
