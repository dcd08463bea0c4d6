package catalog

import (
	"strings"
	"unicode/utf16"
)

// trim takes away what JavaScript's trim takes away.
func trim(s string) string { return strings.TrimFunc(s, jsSpace) }

func blank(s string) bool { return trim(s) == "" }

func jsSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff:
		return true
	}
	return 0x2000 <= r && r <= 0x200a
}

// characters is the length in UTF-16 code units (contract, conventions).
func characters(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// identifier reports whether s is a plain ASCII JavaScript identifier; keywords count as such.
func identifier(s string) bool {
	for i, r := range s {
		if !identifierPart(r) || i == 0 && '0' <= r && r <= '9' {
			return false
		}
	}
	return s != ""
}

func identifierPart(r rune) bool {
	return asciiLetter(r) || '0' <= r && r <= '9' || r == '_' || r == '$'
}

func asciiLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }
