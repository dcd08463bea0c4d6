// Package source does what is done to source text before it runs: it strips TypeScript, and refuses shell commands and module access.
//
// A cell is the body of one async function in sloppy mode. Prepare decides about its text without running any of it, in time bounded by its
// size, whatever the text is. What it lets through is still only text: the engine reports syntax errors and refuses to load modules by itself.
package source

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Language is a language a cell can be written in.
type Language string

// The two languages of contract 4.4.
const (
	JavaScript Language = "javascript"
	TypeScript Language = "typescript"
)

// Kind says which check refused a cell.
type Kind int

// Kinds of refusal, in the order in which the checks are made (contract 4.3).
const (
	ShellSource  Kind = iota + 1 // contract 4.5; detail invalid_input
	ModuleAccess                 // contract 4.6; detail module_access_denied
	Transform                    // contract 4.7; detail typescript_transform_failed
)

func (k Kind) String() string {
	switch k {
	case ShellSource:
		return "shell source"
	case ModuleAccess:
		return "module access"
	case Transform:
		return "typescript transform"
	}
	return fmt.Sprintf("kind %d", int(k))
}

// The fixed texts of contract 4.5 and 4.6.
const (
	shellMessage  = `code mode exec runs JavaScript or TypeScript, not shell commands. Write a program that calls a tool, for example: return await tools.callValue("exact-tool-id", {});`
	moduleMessage = "code mode module access is disabled."
)

// Error is a refused cell. Message is the text that goes over the wire, exactly.
type Error struct {
	Kind    Kind
	Message string
}

func (e *Error) Error() string { return e.Message }

var (
	errShell  = &Error{ShellSource, shellMessage}
	errModule = &Error{ModuleAccess, moduleMessage}
)

// Prepared is a checked cell, ready to be evaluated as the body of one async function.
type Prepared struct {
	// Code is the JavaScript to evaluate. It is valid UTF-8: bytes that are not were replaced by U+FFFD, as decoding JSON would.
	Code string
	// Lines leads from places in Code to places in the submitted text. It is nil for JavaScript, where they are the same.
	Lines *LineMap
	// Parsed says that Code was read completely as a function body. If it is false the engine decides whether Code is valid,
	// unless Breakout is true.
	Parsed bool
	// Breakout says that Code was not parsed and closes more brackets than it opens at some point. Such a text is a syntax error as a
	// function body even if it is valid inside the braces of one, so it must not be evaluated.
	Breakout bool
}

// Prepare transforms and checks a cell in the order of contract 4.3: TypeScript is transformed, then the result (or, if the transform fails, the
// submitted text) is checked for shell commands and for module access, then the transform's own failure is reported. guestGlobals says
// whether a name is a global of the guest; nil means that none is.
//
// A refused cell is an *Error. If ctx ends first, the error wraps ctx.Err(). A language that is not one of the two is an error of the caller.
func Prepare(ctx context.Context, code string, lang Language, guestGlobals func(name string) bool) (Prepared, error) {
	if err := ctx.Err(); err != nil {
		return Prepared{}, fmt.Errorf("prepare source: %w", err)
	}
	if !utf8.ValidString(code) {
		code = strings.ToValidUTF8(code, "\uFFFD")
	}
	if guestGlobals == nil {
		guestGlobals = func(string) bool { return false }
	}
	switch lang {
	case JavaScript:
		found := examine(code)
		if err := found.check(code, false, guestGlobals); err != nil {
			return Prepared{}, err
		}
		return Prepared{Code: code, Parsed: found.tree != nil, Breakout: found.breakout}, nil
	case TypeScript:
		return prepareTypeScript(ctx, code, guestGlobals)
	}
	return Prepared{}, fmt.Errorf("prepare source: unknown language %q", string(lang))
}

func prepareTypeScript(ctx context.Context, code string, guestGlobals func(string) bool) (Prepared, error) {
	out, err := transform(ctx, code)
	if err != nil {
		refused, ok := err.(*Error)
		if !ok {
			return Prepared{}, err
		}
		found := examine(code)
		if err := found.check(code, false, guestGlobals); err != nil {
			return Prepared{}, err
		}
		return Prepared{}, refused
	}
	found := examine(out.body)
	if err := found.check(out.body, true, guestGlobals); err != nil {
		return Prepared{}, err
	}
	if found.breakout {
		return Prepared{}, &Error{Transform, transformPrefix + `Unexpected "}"`}
	}
	return Prepared{Code: out.code(), Lines: out.lines, Parsed: found.tree != nil}, nil
}

// findings is what is known about a JavaScript text: its tree if it parses, else its tokens.
type findings struct {
	tree     *tree
	tokens   []token
	breakout bool
}

func examine(code string) findings {
	var found findings
	small := len(code) < measureFrom // does no harm unmeasured
	if !small {
		found.tokens, found.breakout = scan(code)
	}
	if small || measure(code, found.tokens).treeFits() {
		if t := parseTree(code); t != nil {
			return findings{tree: t}
		}
	}
	if small {
		found.tokens, found.breakout = scan(code)
	}
	return found
}

// check applies the shell and then the module rules. valid says that the text is known to be JavaScript even if there is no tree of it, so that
// the rules for broken text are out of place.
func (f findings) check(code string, valid bool, guestGlobals func(string) bool) error {
	if f.tree != nil {
		if f.tree.shellLooking(guestGlobals) {
			return errShell
		}
		if f.tree.loadsModules {
			return errModule
		}
		return nil
	}
	if !valid && shellLine(code, f.tokens, guestGlobals) {
		return errShell
	}
	if tokensLoadModules(code, f.tokens) {
		return errModule
	}
	return nil
}
