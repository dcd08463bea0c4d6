package source

// This file decides about text that does not parse, from its tokens alone.

// tokensLoadModules is the lexical pass of contract 4.6: import followed by ( . { * a quote or a name, or require followed by (, neither as a
// member after a dot.
func tokensLoadModules(code string, tokens []token) bool {
	for i, t := range tokens {
		if t.kind != identToken || i+1 == len(tokens) || i > 0 && (tokens[i-1].is(code, ".") || tokens[i-1].is(code, "?.")) {
			continue
		}
		switch next := tokens[i+1]; t.name(code) {
		case "import":
			if next.kind == identToken || next.kind == stringToken || next.kind == templateToken || next.is(code, "(") || next.is(code, ".") ||
				next.is(code, "{") || next.is(code, "*") || next.kind == badToken && isQuote(code[next.start]) {
				return true
			}
		case "require":
			if next.is(code, "(") {
				return true
			}
		}
	}
	return false
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// tokensDeclare says whether name seems to be declared: in a let, const, var, function or class, as a parameter, or in a catch.
func tokensDeclare(code string, tokens []token, name string) bool {
	for i := 0; i < len(tokens); i++ {
		if tokens[i].kind != identToken {
			continue
		}
		switch tokens[i].text(code) {
		case "let", "const", "var":
			if bindingsDeclare(code, tokens[i+1:], name) {
				return true
			}
		case "class", "enum", "import":
			if i+1 < len(tokens) && tokens[i+1].name(code) == name {
				return true
			}
		case "function", "catch":
			if headDeclares(code, tokens[i+1:], name) {
				return true
			}
		case name:
			if i+1 < len(tokens) && tokens[i+1].is(code, "=>") {
				return true
			}
		}
	}
	return false
}

// bindingsDeclare looks at the targets after let, const or var, up to the end of the declaration or a nested one.
func bindingsDeclare(code string, tokens []token, name string) bool {
	depth, target := 0, true
	for i, t := range tokens {
		switch {
		case t.is(code, "(") || t.is(code, "[") || t.is(code, "{"):
			depth++
		case t.is(code, ")") || t.is(code, "]") || t.is(code, "}"):
			if depth--; depth < 0 {
				return false
			}
		case t.is(code, ";") || t.is(code, "let") || t.is(code, "const") || t.is(code, "var"):
			return false
		case t.is(code, "=") && depth == 0:
			target = false
		case t.is(code, ",") && depth == 0:
			target = true
		case target && t.kind == identToken && t.name(code) == name && !(i+1 < len(tokens) && depth > 0 && tokens[i+1].is(code, ":")):
			return true
		}
	}
	return false
}

// headDeclares looks at a function's name and parameters, or at what is caught.
func headDeclares(code string, tokens []token, name string) bool {
	depth := 0
	for _, t := range tokens {
		switch {
		case t.is(code, "("):
			depth++
		case t.is(code, ")"):
			if depth--; depth <= 0 {
				return false
			}
		case t.kind == identToken && t.name(code) == name:
			return true
		case depth == 0 && t.kind != identToken && !t.is(code, "*"), t.is(code, "function"), t.is(code, "catch"):
			return false
		}
	}
	return false
}
