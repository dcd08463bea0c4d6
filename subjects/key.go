package subjects

import (
	"strings"

	"codemode/protocol"
)

// SnapshotKey is the key of a suspended run's record in BucketSnapshots.
func (n Names) SnapshotKey(tenant, runID string) string { return token(tenant) + "." + token(runID) }

// AbortMarkKey is the key of an abort mark in BucketSnapshots; id is a run id, or a session id as
// protocol.SessionToken writes it (protocol 7).
func (n Names) AbortMarkKey(tenant, id string) string {
	return token(tenant) + ".aborted." + token(id)
}

// SessionIndexKey is the key in BucketSnapshots that says that a run of a session is suspended. The session
// may be any string (design 3).
func (n Names) SessionIndexKey(tenant, session, runID string) string {
	return token(tenant) + ".session." + protocol.SessionToken(session) + "." + token(runID)
}

// SessionIndexFilter matches the keys of all suspended runs of a session.
func (n Names) SessionIndexFilter(tenant, session string) string {
	return token(tenant) + ".session." + protocol.SessionToken(session) + ".*"
}

// CatalogKey is the key of a catalogue in BucketCatalogs; ref is the hex SHA-256 of the value.
func (n Names) CatalogKey(tenant, ref string) string { return token(tenant) + "." + token(ref) }

// CallKey is the key of a nested call in BucketCalls: who creates it may execute the call.
func (n Names) CallKey(tenant, runID, callID string) string {
	return token(tenant) + "." + token(runID) + "." + token(callID)
}

// ApprovalKey is the key in BucketCalls that lists a call which waits for a decision.
func (n Names) ApprovalKey(tenant, runID, callID string) string {
	return token(tenant) + ".approval." + token(runID) + "." + token(callID)
}

// ApprovalFilter matches the approval keys of a tenant.
func (n Names) ApprovalFilter(tenant string) string { return token(tenant) + ".approval.*.*" }

// ExecutorKey is the key in BucketCalls that is there for as long as an executor lives.
func (n Names) ExecutorKey(tenant, executor string) string {
	return token(tenant) + ".executor." + token(executor) + ".lease"
}

// ParseSnapshotKey reads a key that SnapshotKey made; the other keys of the bucket have more tokens.
func (n Names) ParseSnapshotKey(key string) (tenant, runID string, ok bool) {
	tenant, runID, ok = strings.Cut(key, ".")
	if !ok || !protocol.ValidTenant(tenant) || !protocol.RoutableRunID(runID) {
		return "", "", false
	}
	return tenant, runID, true
}

// BucketStream is the stream below a bucket.
func BucketStream(bucket string) string { return "KV_" + bucket }

// KeySubject is the subject a bucket's key is stored on, for writes that need more than the KV API offers.
func KeySubject(bucket, key string) string { return "$KV." + bucket + "." + key }

// ParseKeySubject gives the key out of a subject that KeySubject made for the bucket.
func ParseKeySubject(bucket, subject string) (key string, ok bool) {
	return strings.CutPrefix(subject, "$KV."+bucket+".")
}
