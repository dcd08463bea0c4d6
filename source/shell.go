package source

import (
	"regexp"
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// shellLooking applies the first rule of contract 4.5: the cell starts by reading a name that nothing declares, and could only throw.
func (t *tree) shellLooking(guestGlobals func(string) bool) bool {
	stmt, ok := t.first().(*js.ExprStmt)
	if !ok {
		return false
	}
	lead, ok := leadingName(stmt.Value)
	if !ok {
		return false
	}
	switch lead {
	case "require", "module", "process":
		return false
	}
	return !guestGlobals(lead) && !t.declares(lead)
}

// leadingName gives the leftmost name of an expression that is a name, or is built from one on the left and further names and literals with binary,
// logical, comma and member operators only.
func leadingName(e js.IExpr) (string, bool) {
	switch e := e.(type) {
	case *js.Var:
		return identName(string(e.Data)), true
	case *js.BinaryExpr:
		if assigns(e.Op) || !plain(e.Y) {
			return "", false
		}
		return leadingName(e.X)
	case *js.CommaExpr:
		for _, x := range e.List[1:] {
			if !plain(x) {
				return "", false
			}
		}
		return leadingName(e.List[0])
	case *js.DotExpr:
		return leadingName(e.X)
	case *js.IndexExpr:
		if !plain(e.Y) {
			return "", false
		}
		return leadingName(e.X)
	}
	return "", false
}

// plain says whether e is built from names and literals with the operators of leadingName.
func plain(e js.IExpr) bool {
	switch e := e.(type) {
	case *js.Var:
		return true
	case *js.LiteralExpr:
		return e.TokenType != js.ImportToken && e.TokenType != js.SuperToken
	case *js.TemplateExpr:
		return e.Tag == nil && len(e.List) == 0
	case *js.BinaryExpr:
		return !assigns(e.Op) && plain(e.X) && plain(e.Y)
	case *js.CommaExpr:
		for _, x := range e.List {
			if !plain(x) {
				return false
			}
		}
		return true
	case *js.DotExpr:
		return plain(e.X)
	case *js.IndexExpr:
		return plain(e.X) && plain(e.Y)
	}
	return false
}

func assigns(op js.TokenType) bool {
	switch op {
	case js.EqToken, js.MulEqToken, js.DivEqToken, js.ModEqToken, js.ExpEqToken, js.AddEqToken, js.SubEqToken, js.LtLtEqToken, js.GtGtEqToken,
		js.GtGtGtEqToken, js.BitAndEqToken, js.BitXorEqToken, js.BitOrEqToken, js.AndEqToken, js.OrEqToken, js.NullishEqToken:
		return true
	}
	return false
}

// commandWords are the known command words of contract 4.5, and some more of their kind.
var commandWords = wordSet(`ls pwd cd cat echo head tail grep rg find sed awk cut sort uniq wc xargs tee touch mkdir rmdir rm cp mv ln chmod chown ps kill
	top df du env export unset alias source set exit exec eval whoami which uname date curl wget ssh scp tar zip unzip git gh npm npx pnpm yarn node
	deno bun python python3 pip go cargo rustc make cmake docker kubectl jq sh bash zsh sudo apt brew
	apt-get yum dnf pip3 ruby perl php java javac mvn gradle rsync less more diff patch tree stat file printf sleep ping hostname id man pushd popd terraform
	helm systemctl journalctl service ifconfig ip netstat lsof nslookup dig gzip gunzip base64 md5sum sha256sum xxd realpath readlink basename dirname
	mktemp pytest tsc tsx vim nano ffmpeg sqlite3 psql mysql redis-cli aws gcloud az`)

// keywords begin JavaScript or TypeScript, never a command.
var keywords = wordSet(`await async break case catch class const continue debugger default delete do else enum export extends false finally for function
	if import in instanceof let new null return static super switch this throw true try typeof undefined using var void while with yield
	implements interface package private protected public abstract declare namespace`)

const (
	word     = `[A-Za-z_][\w.+-]*`                              // the name of a program
	argument = `(?:"[^"]*"|'[^']*'|[^\s"'` + "`" + `|&;<>()]+)` // one argument of a simple command
	command  = `(?:` + word + `|~?\.{0,2}/[^\s"'|&;<>()` + "`" + `]+)(?:[ \t]+` + argument + `)*[ \t]*`
)

var (
	pathToRun    = regexp.MustCompile(`^(?:~?/[\w.@+~-]+(?:/[\w.@+~-]+)*|\.{1,2}/[\w.@+~/-]+|\.{1,2}\\[\w.@+~\\-]+|[A-Za-z]:\\[\w.@+~\\ -]+)(?:[\s;|&<>]|$)`)
	setWords     = regexp.MustCompile(`^(?:([A-Za-z_]\w*)=("[^"]*"|'[^']*'|[^\s=>"'(` + "`" + `][^\s"'(` + "`" + `]*)[ \t]+)+([A-Za-z_./~][\w./-]*)`)
	leadingWord  = regexp.MustCompile(`^` + word)
	afterCommand = regexp.MustCompile(`^(?:[ \t]*$|[ \t]*[;|&<>]|[ \t]+[^\s=(?+*])`)
	withOption   = regexp.MustCompile(`^` + word + `[ \t]+--?[A-Za-z][\w-]*(?:=\S*)?(?:[\s;|&]|$)`)
	construct    = regexp.MustCompile(`^(?:(?:if|while|until|elif)[ \t]+(?:![ \t]*)?\[|for[ \t]*\(\(|(?:for|case|select)[ \t]+("?\$?[\w{}]+"?)[ \t]+in(?:[\s;]|$)|` +
		`function[ \t]+[\w-]+[ \t]*\{|(?:then|fi|done|esac)(?:[ \t]*$|[ \t]*[;|&<>]|[ \t]+[\w$"'./-])|(?:if|while|until|for)[ \t]+[^(\s].*;[ \t]*(?:then|do)[ \t]*$)`)
	joined     = regexp.MustCompile(`^` + command + `(?:(?:\||&&|\|\|)[ \t]*["'$]?[\w./~]|\d?>>?&?[ \t]*["'$]?[\w./~&]|<[ \t]*["'$]?[\w./~])`)
	substitute = regexp.MustCompile(`^` + command + `(?:[ \t"]\$\(|[ \t]` + "`[^`]+`" + `)|^\$\([ \t]*` + word)
	quotedText = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`)
	jsCall     = regexp.MustCompile(`[\w$\])]\(`)
)

// firstLine gives the first line with text, without comments before it (contract 4.5).
func firstLine(code string) string {
	for {
		code = strings.TrimLeft(code, " \t\r\n\v\f\u00a0\ufeff\u2028\u2029")
		switch {
		case strings.HasPrefix(code, "//"):
			code = code[lineLength(code):]
		case strings.HasPrefix(code, "/*"):
			n := strings.Index(code, "*/")
			if n < 2 {
				return ""
			}
			code = code[n+2:]
		default:
			return strings.TrimRight(code[:lineLength(code)], " \t\v\f")
		}
	}
}

// maxShellLine bounds how much of a first line is looked at: a command says so early.
const maxShellLine = 4096

// shellLine applies the second rule of contract 4.5, for a cell that does not parse.
func shellLine(code string, tokens []token, guestGlobals func(string) bool) bool {
	line := firstLine(code)
	if len(line) > maxShellLine {
		line = line[:maxShellLine]
	}
	if m := construct.FindStringSubmatch(line); m != nil && !keywords[m[1]] {
		return true
	}
	lead := leadingWord.FindString(line)
	bare := quotedText.ReplaceAllString(line, `""`)
	if keywords[lead] || strings.Contains(bare, "=>") || calls(bare) || startsTypeAlias(line) {
		return false
	}
	if strings.HasPrefix(line, "#") || pathToRun.MatchString(line) || setsVariables(line) {
		return true
	}
	if lead != "" && (guestGlobals(lead) || tokensDeclare(code, tokens, lead)) {
		return false
	}
	return commandWords[lead] && afterCommand.MatchString(line[len(lead):]) ||
		withOption.MatchString(line) || joined.MatchString(bare) || substitute.MatchString(bare)
}

// calls says whether a line without strings calls something, in JavaScript's way: $( does not.
func calls(line string) bool {
	for _, m := range jsCall.FindAllStringIndex(line, -1) {
		if line[m[0]] != '$' || m[0] > 0 && isNameByte(line[m[0]-1]) {
			return true
		}
	}
	return false
}

// setsVariables says whether the line is NAME=value words followed by the name of a program.
func setsVariables(line string) bool {
	m := setWords.FindStringSubmatch(line)
	return m != nil && !keywords[m[2]] && !keywords[m[3]] && m[3] != "of" && m[3] != "as" && m[3] != "satisfies"
}

// startsTypeAlias knows the one TypeScript statement that reads like a pipe: type A = B | C.
func startsTypeAlias(line string) bool {
	return typeAlias.MatchString(line)
}

var typeAlias = regexp.MustCompile(`^type[ \t]+[A-Za-z_$][\w$]*[ \t]*[=<]`)
