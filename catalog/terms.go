package catalog

import (
	"unicode"

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
// The piece is only valid during the call.
func splitTerms(text string, emit func(piece []rune, spaceless bool)) {
	if !isASCII(text) {
		text = norm.NFKC.String(text)
	}
	var piece []rune
	var last charClass // class of the last letter or digit of the piece
	uppers := 0        // length of the run of capitals at the end of the piece
	flush := func() {
		if len(piece) > 0 {
			emit(piece, last == whole)
		}
		piece, uppers, last = piece[:0], 0, gap
	}
	for _, r := range text {
		class := classOf(r)
		switch {
		case class == gap || class == mark && last == gap:
			flush()
			continue
		case class == mark:
			piece = append(piece, r)
			continue
		case last == gap:
		case class == digit || last == digit || class == whole || last == whole:
			if class != last {
				flush()
			}
		case class == upper && last == lower:
			flush()
		case class == lower && last == upper && uppers > 1: // HTTPServer: the last capital begins the next word
			head := piece[len(piece)-1]
			piece = piece[:len(piece)-1]
			flush()
			piece = append(piece, head)
		}
		uppers++
		if class != upper {
			uppers = 0
		}
		last = class
		piece = append(piece, unicode.ToLower(r))
	}
	flush()
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

// termsOf calls emit with the terms of a text in order, repetitions included. stem may remember results.
func termsOf(text string, stem func(string) string, emit func(string)) {
	splitTerms(text, func(piece []rune, spaceless bool) {
		if !spaceless {
			if term := stem(string(piece)); term != "" {
				emit(term)
			}
			return
		}
		emit(string(piece))
		for i := 0; len(piece) > 2 && i+2 <= len(piece); i++ {
			emit(string(piece[i : i+2]))
		}
	})
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
