package protocol

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// ValidTenant reports whether s is a tenant token: 1 to 64 of A-Za-z0-9_- (protocol 1).
func ValidTenant(s string) bool { return validToken(s, 1, 64) }

// ValidJobID reports whether s is a job token: 1 to 64 of A-Za-z0-9_- (protocol 1).
func ValidJobID(s string) bool { return validToken(s, 1, 64) }

// ValidRunID reports whether s is a run token: "cm_" and 16 to 64 of A-Za-z0-9_- (protocol 1).
func ValidRunID(s string) bool {
	rest, ok := strings.CutPrefix(s, "cm_")
	return ok && validToken(rest, 16, 64)
}

// RoutableRunID reports whether s can stand in a subject although it need not be a run token:
// such a wait is answered as one for an unknown run (protocol 1).
func RoutableRunID(s string) bool { return validToken(s, 1, 255) }

func validToken(s string, lo, hi int) bool {
	if len(s) < lo || len(s) > hi {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-') {
			return false
		}
	}
	return true
}

// SessionToken is how a session id is written in a subject or key: as it is where it is a token,
// else "h_" and the first 32 hex digits of its SHA-256 (protocol 2).
func SessionToken(sessionID string) string {
	if validToken(sessionID, 1, 64) {
		return sessionID
	}
	sum := sha256.Sum256([]byte(sessionID))
	return "h_" + hex.EncodeToString(sum[:16])
}

// ParseCallID splits a call id "<method>-<n>-<h>" (protocol 1).
func ParseCallID(s string) (method Method, n int, hash string, ok bool) {
	parts := strings.Split(s, "-")
	if len(parts) != 3 || len(parts[2]) != 8 {
		return "", 0, "", false
	}
	n, err := strconv.Atoi(parts[1])
	if err != nil || n < 1 || strconv.Itoa(n) != parts[1] {
		return "", 0, "", false
	}
	if _, err := hex.DecodeString(parts[2]); err != nil || strings.ToLower(parts[2]) != parts[2] {
		return "", 0, "", false
	}
	m := Method(parts[0])
	return m, n, parts[2], m.Valid()
}
