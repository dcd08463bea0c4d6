package subjects

import (
	"strings"

	"codemode/protocol"
)

// Abort is what an abort subject names: RunID or SessionToken is set.
type Abort struct {
	Tenant       string
	RunID        string
	SessionToken string // as protocol.SessionToken writes it
}

// ParseJob reads the subject of a job; one of no known kind or no tenant token is not ok.
func (n Names) ParseJob(subject string) (kind protocol.JobKind, tenant string, ok bool) {
	rest, ok := n.below(subject, ".job.")
	if !ok {
		return "", "", false
	}
	first, tenant, ok := strings.Cut(rest, ".")
	kind = protocol.JobKind(first)
	if !ok || kind != protocol.JobExec && kind != protocol.JobWait || !protocol.ValidTenant(tenant) {
		return "", "", false
	}
	return kind, tenant, true
}

// ParseResult gives the call id out of the subject of a stored result.
func (n Names) ParseResult(subject string) (callID string, ok bool) {
	rest, ok := n.below(subject, ".run.")
	if !ok {
		return "", false
	}
	rest, ok = cutRun(rest)
	if !ok {
		return "", false
	}
	callID, ok = strings.CutPrefix(rest, "result.")
	return routable(callID, ok)
}

// ParseLive gives the call id out of the subject a result is republished on.
func (n Names) ParseLive(subject string) (callID string, ok bool) {
	rest, ok := n.below(subject, ".live.")
	if !ok {
		return "", false
	}
	callID, ok = cutRun(rest)
	return routable(callID, ok)
}

// ParseAbort reads the subject of an abort.
func (n Names) ParseAbort(subject string) (Abort, bool) {
	rest, ok := n.below(subject, ".abort.")
	if !ok {
		return Abort{}, false
	}
	tenant, rest, _ := strings.Cut(rest, ".")
	what, id, _ := strings.Cut(rest, ".")
	if !protocol.ValidTenant(tenant) || !protocol.RoutableRunID(id) {
		return Abort{}, false
	}
	switch what {
	case "run":
		return Abort{Tenant: tenant, RunID: id}, true
	case "session":
		return Abort{Tenant: tenant, SessionToken: id}, true
	}
	return Abort{}, false
}

// ParseService gives the tenant out of the subject of a service request. The verb is not checked: every
// endpoint has a subscription of its own.
func (n Names) ParseService(subject string) (tenant string, ok bool) {
	rest, ok := n.below(subject, ".svc.")
	if !ok {
		return "", false
	}
	verb, tenant, _ := strings.Cut(rest, ".")
	if !protocol.RoutableRunID(verb) || !protocol.ValidTenant(tenant) {
		return "", false
	}
	return tenant, true
}

// below gives what follows the prefix and the family of a subject.
func (n Names) below(subject, family string) (string, bool) {
	rest, ok := strings.CutPrefix(subject, n.Prefix())
	if !ok {
		return "", false
	}
	return strings.CutPrefix(rest, family)
}

// cutRun takes "<tenant>.<runId>." off.
func cutRun(s string) (rest string, ok bool) {
	tenant, s, _ := strings.Cut(s, ".")
	runID, rest, ok := strings.Cut(s, ".")
	return rest, ok && protocol.ValidTenant(tenant) && protocol.RoutableRunID(runID)
}

func routable(s string, ok bool) (string, bool) {
	if !ok || !protocol.RoutableRunID(s) {
		return "", false
	}
	return s, true
}
