package source

import "testing"

func TestShellLooking(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"ls -la", "ls -1", "pwd", "pwd;", "whoami", "exit", "jq", "git status", "git status\nreturn 1", "npm test", "NODE_ENV=test npm test", "go test",
		"exec ls", "source ./env", "set -euo pipefail", "sh -c \"x\"", "custom-tool --format=json", "#!/bin/sh", "ls>output", "cat<input",
		"if [ -f x ]; then", "function task { pwd; }", "// list\npwd", "/* list */ pwd", "\n\n  // a\n  /* b\n c */\n\tgit status",
		"echo hello", "#!/bin/sh\nls", "# list files\npwd", "if [ -f x ]; then\n  echo yes\nfi", "cat notes.txt | grep todo", "/bin/ls -l",
		// one for each rule about text that does not parse
		"/bin/ls", "./x", "./run.sh --fast", "../bin/x a b", ".\\x.ps1", "C:\\dir\\x.cmd", "/usr/local/bin/thing a b",
		"A=1 B=2 prog x", "A='x y' prog", "ls > out.txt 2>&1; foo bar", "grep -rn foo src", "git commit -m \"fix(ui): x => y\"", "curl https://x.y/z",
		"mytool -x foo", "mytool --long foo", "mytool --k=v foo", "if [[ -n $X ]]; then", "for ((i=0;i<3;i++)); do", "for x in a b; do echo $x; done",
		"while [ 1 ]; do", "case x in", "then", "fi\n)", "done\n)", "foo bar | baz qux", "foo bar > baz qux", "foo bar && baz qux", "foo bar || baz qux",
		"kill9 $(pidof x)", "foo `date` bar", "cd /tmp && ls", "docker ps -a", "python3 script.py", "sudo rm -rf /",
		"foo", "foo.bar - baz", "a, b", "a && b || c", "foo[bar]",
	} {
		_, err := prepare(t, code, JavaScript)
		if got := kindOf(t, err); got != ShellSource {
			t.Errorf("%q: %v", code, got)
		}
	}
	for _, code := range []string{"pwd", "ls -la", "git status", "echo hi"} {
		_, err := prepare(t, code, TypeScript)
		if got := kindOf(t, err); got != ShellSource {
			t.Errorf("typescript %q: %v", code, got)
		}
	}
}

func TestNotShellLooking(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"true;", "return -1", "return /x/.test(s)", "Infinity -1; return 42", "eval; return typeof eval", "const ls = 7; return ls",
		"ls(); function ls() { return 1 }", "return echo(1); function echo(x) { return x }", "const node = (x) => x; return node(1)",
		"const sh = (s) => s; sh`x`; return 1", "sh`x`; function sh(s) {}", "for (const x of ['ls', 'pwd']) text(x); return 'echo hi | cat'", "if (true) { return 1 }",
		"node -1; var node = 7; return node", "ls; { var ls }", "ls; function f() { let ls }", "l\\u0073; var ls", "arguments; return 1", "x = 5; return x",
		"require; ", "module - 1", "process.env", "foo(1)", "foo - bar(1)", "foo ? 1 : 2", "-foo", "this.x", "ls.map(x)", "'ls -la'", "", "// only a comment", "{ ls }",
		"cat.meow = 1", "undefined; return 1", "find?.(x)",
		// text that does not parse and is not shell either
		"const x: number = 1;\nreturn x;", "let ls = 1;\nfoo bar", "ls = = 3", "date(", "top + ) 1", "node * / 2", "sort (a, b) c", "find => ]", "foo(1) bar baz",
		"x => | y", "return ls -la x y", "const a = b | c d", "type A = B | C\nreturn 1 1", "node -1; var node = 7; return 1 1", "eval foo bar",
		"exit? 1 : ]", "interface A { a: number }\nreturn 1", "await foo bar", "foo: bar baz", "a = b c", "x=new Foo bar", "export FOO=bar", "import x from 'y", "/x/.test(a) b",
		"node.value = = 3", "done = ]", "/* open", "tools.x({a: 1}) )",
	} {
		_, err := prepare(t, code, JavaScript)
		if got := kindOf(t, err); got == ShellSource {
			t.Errorf("%q is taken for a command", code)
		}
	}
	for _, code := range []string{"node -1; var node: number = 7; return node", "type ls = number; return 1", "const x: = 5", "type A = string |\n;"} {
		_, err := prepare(t, code, TypeScript)
		if got := kindOf(t, err); got == ShellSource {
			t.Errorf("typescript %q is taken for a command", code)
		}
	}
}

func TestShellWithoutGlobals(t *testing.T) {
	t.Parallel()
	if _, err := Prepare(t.Context(), "Infinity", JavaScript, nil); kindOf(t, err) != ShellSource {
		t.Errorf("got %v", err)
	}
}
