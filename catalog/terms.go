package catalog

import (
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// stopWords are dropped from documents and queries alike (contract 6.7).
var stopWords = set(`a an and are as at be by can do for from how i in into is it me my of on or please that the this
	to up use using want what when where which with you your`)

// spaceless are the scripts written without spaces between words.
var spaceless = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
	unicode.Tibetan, unicode.Yi, unicode.Javanese, unicode.Balinese,
}

// charClass is what the borders between terms are made of.
type charClass uint8

const (
	gap charClass = iota
	lower
	upper
	digit
	whole // a letter of a script without word spaces
	mark  // belongs to the letter before it
)

func classOf(r rune) charClass {
	switch {
	case 'a' <= r && r <= 'z':
		return lower
	case 'A' <= r && r <= 'Z':
		return upper
	case '0' <= r && r <= '9':
		return digit
	case r < 0x80:
		return gap
	case unicode.IsUpper(r) || unicode.IsTitle(r):
		return upper
	case r == 'ー' || r == '々' || unicode.IsLetter(r) && unicode.In(r, spaceless...):
		return whole
	case unicode.IsLetter(r):
		return lower
	case unicode.IsDigit(r):
		return digit
	case unicode.IsMark(r):
		return mark
	}
	return gap
}

// splitTerms calls emit with each piece of the text, in lower case and neither stemmed nor filtered:
// pieces end at anything that is no letter or digit, and at camelCase, acronym and letter/digit borders.
// The piece is only valid during the call; spaceless says that it is of a script without word spaces.
func splitTerms(text string, emit func(piece []byte, spaceless bool)) {
	if !isASCII(text) {
		text = norm.NFKC.String(text)
	}
	s := splitter{emit: emit, piece: make([]byte, 0, 64)}
	for _, r := range text {
		s.add(r)
	}
	s.flush()
}

type splitter struct {
	emit   func(piece []byte, spaceless bool)
	piece  []byte
	last   charClass // of the last letter or digit of the piece
	uppers int       // length of the run of capitals at the end of the piece
}

func (s *splitter) flush() {
	if len(s.piece) > 0 {
		s.emit(s.piece, s.last == whole)
	}
	s.piece, s.uppers, s.last = s.piece[:0], 0, gap
}

func (s *splitter) add(r rune) {
	class := classOf(r)
	switch {
	case class == gap || class == mark && s.last == gap:
		s.flush()
		return
	case class == mark:
		s.piece = utf8.AppendRune(s.piece, r)
		return
	case s.last == gap:
	case class == digit || s.last == digit || class == whole || s.last == whole:
		if class != s.last {
			s.flush()
		}
	case class == upper && s.last == lower:
		s.flush()
	case class == lower && s.last == upper && s.uppers > 1: // HTTPServer: the last capital begins the next word
		head, size := utf8.DecodeLastRune(s.piece)
		s.piece = s.piece[:len(s.piece)-size]
		s.flush()
		s.piece = utf8.AppendRune(s.piece, head)
	}
	s.uppers++
	if class != upper {
		s.uppers = 0
	}
	s.last = class
	s.piece = utf8.AppendRune(s.piece, toLower(r))
}

func toLower(r rune) rune {
	switch {
	case 'A' <= r && r <= 'Z':
		return r + 'a' - 'A'
	case r < 0x80:
		return r
	}
	return unicode.ToLower(r)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// maxStemmed is the longest word, in bytes, that is stemmed: longer ones are no words, and the stemmer's
// steps are not linear.
const maxStemmed = 48

// termsOf calls emit with the terms of a text in order, repetitions and stop words included: words, which
// are to be stemmed, and pieces of scripts without word spaces, whole and as overlapping pairs. The piece
// is only valid during the call.
func termsOf(text string, emit func(piece []byte, isWord bool)) {
	splitTerms(text, func(piece []byte, spaceless bool) {
		emit(piece, !spaceless)
		if !spaceless {
			return
		}
		first := 0 // where the pair begins
		_, size := utf8.DecodeRune(piece)
		for at := size; at < len(piece); {
			_, next := utf8.DecodeRune(piece[at:])
			if pair := piece[first : at+next]; len(pair) < len(piece) {
				emit(pair, false)
			}
			first, at = at, at+next
		}
	})
}

// termOf gives the term of a piece: a word's stem, "" for a stop word.
func termOf(piece string, isWord bool) string {
	if !isWord {
		return piece
	}
	return stemTerm(piece)
}

// stemTerm gives the stem of a Latin word, other words as they are, and "" for a stop word.
func stemTerm(word string) string {
	if stopWords[word] {
		return ""
	}
	if len(word) > maxStemmed {
		return word
	}
	for _, r := range word {
		if !unicode.Is(unicode.Latin, r) {
			return word
		}
	}
	return english.Stem(word, true)
}
