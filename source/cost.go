package source

// The parsers used here recurse without a limit in places and do work that grows with the square of what they are given in others. A text is
// measured before they see it, so that nobody can choose how much stack or time a cell costs before it runs. The bounds are far from what
// programs look like; each keeps what it bounds below about a second.
const (
	measureFrom = 4 << 10 // JavaScript below this size can do no harm worth measuring

	maxTreeNesting = 400      // brackets inside brackets, in a text that the tree parser is given
	maxTreeScopes  = 1 << 20  // sum over all names of the brackets around them: each is handed up from scope to scope
	maxTreeArrows  = 40 << 20 // names times arrow functions of one bare parameter: each such looks at all names of the scope

	maxTransformNesting = 256      // brackets inside brackets, in a TypeScript cell
	maxTransformChain   = 2000     // operators, members, prefixes and the like that nest without brackets
	maxTransformScopes  = 20 << 20 // sum over all names of the square of the brackets around them: shadowing names are renamed
	maxTransformCommas  = 3000     // parts of one comma expression or parameter list
	maxTransformRepeats = 64       // declarations of one name in one scope: each is a diagnostic
)

// cost is what makes a text expensive.
type cost struct {
	nesting int // deepest brackets
	chain   int // longest chain of things that nest without brackets, added up over the brackets around it
	commas  int // most commas in one list that is no array or object
	scopes  int // sum of the brackets around each name
	squares int // sum of the squares of them
	names   int
	arrows  int // arrow functions whose parameter is a bare name
	repeats int // most declarations of one name in one bracket
}

func (c cost) treeFits() bool {
	return c.nesting <= maxTreeNesting && c.scopes <= maxTreeScopes && c.names*c.arrows <= maxTreeArrows
}

func (c cost) transformFits() bool {
	return c.nesting <= maxTransformNesting && c.chain <= maxTransformChain && c.commas <= maxTransformCommas &&
		c.squares <= maxTransformScopes && c.repeats <= maxTransformRepeats
}

// level is one open bracket while measuring.
type level struct {
	id     int
	chain  int
	commas int
	list   bool // an array or object: commas do not nest
}

type measurer struct {
	code     string
	cost     cost
	levels   []level
	sum      int // of the chains of all levels
	ids      int
	declared map[declaration]int
}

type declaration struct {
	scope int
	name  string
}

// measure looks at the tokens once.
func measure(code string, tokens []token) cost {
	m := &measurer{code: code, levels: []level{{}}, declared: map[declaration]int{}}
	for i, t := range tokens {
		if i > 0 && startsStatement(code, tokens[i-1], t) {
			m.endChain()
		}
		m.add(tokens, i)
	}
	return m.cost
}

func (m *measurer) add(tokens []token, i int) {
	t := tokens[i]
	switch t.kind {
	case identToken:
		m.addName(tokens, i)
	case templateToken:
		m.grow(1)
		if c := m.code[t.start]; c == '}' {
			m.close()
		}
		if m.code[t.end-1] == '{' {
			m.openLevel(false)
		}
	case punctToken:
		switch s := t.text(m.code); s {
		case "(", "[", "{":
			m.openLevel(s == "[" || s == "{" && !t.block)
		case ")", "]", "}":
			m.close()
		case ";":
			m.endChain()
			m.top().commas = 0
		case ",":
			m.endChain()
			if top := m.top(); !top.list {
				top.commas++
				m.cost.commas = max(m.cost.commas, top.commas)
			}
		case "=>":
			if i > 0 && tokens[i-1].kind == identToken {
				m.cost.arrows++
			}
			m.grow(8)
		default:
			m.grow(1)
		}
	}
}

// chainKeywords nest what follows them.
var chainKeywords = wordSet(`if else for while do with return throw typeof void delete await yield new in instanceof as satisfies keyof unique readonly
	extends infer is asserts async function class label import abstract`)

var declaringKeywords = wordSet("let const var class enum function")

func (m *measurer) addName(tokens []token, i int) {
	depth := len(m.levels)
	m.cost.names++
	m.cost.scopes += depth
	m.cost.squares += depth * depth
	text := tokens[i].text(m.code)
	if chainKeywords[text] {
		m.grow(1)
	}
	if i > 0 && declaringKeywords[tokens[i-1].text(m.code)] && len(text) < 64 {
		key := declaration{m.top().id, text}
		m.declared[key]++
		m.cost.repeats = max(m.cost.repeats, m.declared[key])
	}
}

func (m *measurer) top() *level { return &m.levels[len(m.levels)-1] }

func (m *measurer) grow(n int) {
	m.top().chain += n
	m.sum += n
	m.cost.chain = max(m.cost.chain, m.sum)
}

func (m *measurer) endChain() {
	m.sum -= m.top().chain
	m.top().chain = 0
}

func (m *measurer) openLevel(list bool) {
	m.grow(1)
	m.ids++
	m.levels = append(m.levels, level{id: m.ids, list: list})
	m.cost.nesting = max(m.cost.nesting, len(m.levels)-1)
}

func (m *measurer) close() {
	if len(m.levels) == 1 {
		return
	}
	m.endChain()
	m.levels = m.levels[:len(m.levels)-1]
}

// continuingWords go on with a statement at the start of a line.
var continuingWords = wordSet("else catch finally while in instanceof of as satisfies is extends implements from")

// startsStatement says whether t certainly begins a new statement after prev: an operand after an operand, on a new line or after a brace.
func startsStatement(code string, prev, t token) bool {
	if t.kind == punctToken && !t.is(code, "{") || t.kind == templateToken || t.kind == badToken || continuingWords[t.text(code)] {
		return false
	}
	switch prev.kind {
	case numberToken, stringToken, regexpToken, privateToken:
		return t.newline
	case templateToken:
		return t.newline && code[prev.end-1] == '`'
	case identToken:
		s := prev.text(code)
		return t.newline && !chainKeywords[s] && !operandKeywords[s]
	case punctToken:
		switch prev.text(code) {
		case "}":
			return true
		case "]":
			return t.newline
		case ")":
			return t.newline && !prev.block
		}
	}
	return false
}
