// Package subjects is the one place that knows what things are called on NATS: the subject grammar and
// the keys (protocol 2), and the streams, buckets and consumers with their one definition, which Ensure
// puts in place (design 3).
package subjects

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"codemode/protocol"
)

// DefaultPrefix is the first token of every subject where the operator sets no other (protocol 2).
const DefaultPrefix = "cm"

// Any stands for every token of its place in a filter.
const Any = "*"

const maxPrefix = 128

// ErrPrefix is returned by New for a prefix that cannot begin a subject.
var ErrPrefix = errors.New("invalid subject prefix")

// Names builds and reads subjects and keys. The zero value uses DefaultPrefix.
//
// Tokens are expected to have been checked (protocol 1). One that has not can neither widen a subject nor
// reach another one: what is no token of 1 to 255 of A-Za-z0-9_- is written as "=" and 32 hex digits of its
// SHA-256, which no checked token can be. Only filters take Any.
type Names struct{ prefix string }

// New makes the names below a prefix: up to 128 bytes of dot-separated tokens of A-Za-z0-9_-, "" for
// DefaultPrefix. Everything else wraps ErrPrefix.
func New(prefix string) (Names, error) {
	if prefix == "" {
		return Names{}, nil
	}
	if len(prefix) > maxPrefix {
		return Names{}, fmt.Errorf("%w: %d bytes, at most %d", ErrPrefix, len(prefix), maxPrefix)
	}
	for token := range strings.SplitSeq(prefix, ".") {
		if !protocol.RoutableRunID(token) {
			return Names{}, fmt.Errorf("%w %q: want dot-separated tokens of A-Za-z0-9_-", ErrPrefix, prefix)
		}
	}
	return Names{prefix: prefix}, nil
}

// Prefix is what every subject begins with, without the dot behind it.
func (n Names) Prefix() string {
	if n.prefix == "" {
		return DefaultPrefix
	}
	return n.prefix
}

// token makes a string safe to stand between two dots.
func token(s string) string {
	if protocol.RoutableRunID(s) {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	return "=" + hex.EncodeToString(sum[:16])
}

func filterToken(s string) string {
	if s == Any {
		return s
	}
	return token(s)
}
