package subjects

import "codemode/protocol"

// Job is where a gateway publishes a job.
func (n Names) Job(kind protocol.JobKind, tenant string) string {
	return n.Prefix() + ".job." + token(string(kind)) + "." + token(tenant)
}

// JobFilter matches the jobs of a kind of all tenants.
func (n Names) JobFilter(kind protocol.JobKind) string {
	return n.Prefix() + ".job." + token(string(kind)) + ".*"
}

// JobAll matches every job.
func (n Names) JobAll() string { return n.Prefix() + ".job.*.*" }

// Call is where a worker requests a nested call from the gateway.
func (n Names) Call(tenant, runID, callID string) string {
	return n.run(token(tenant), token(runID)) + ".call." + token(callID)
}

// CallFilter matches the nested calls of a run, or of all runs of a tenant where runID is Any.
func (n Names) CallFilter(tenant, runID string) string {
	return n.run(filterToken(tenant), filterToken(runID)) + ".call.*"
}

// Result is where the result of a nested call is stored. Nobody subscribes to it: see Live.
func (n Names) Result(tenant, runID, callID string) string {
	return n.run(token(tenant), token(runID)) + ".result." + token(callID)
}

// ResultFilter matches the stored results of a run: to get them, and to purge them when the run ends.
func (n Names) ResultFilter(tenant, runID string) string {
	return n.run(filterToken(tenant), filterToken(runID)) + ".result.*"
}

// Live is where the server publishes a result once it is stored; callID may be Any.
func (n Names) Live(tenant, runID, callID string) string {
	return n.Prefix() + ".live." + token(tenant) + "." + token(runID) + "." + filterToken(callID)
}

// LiveAll matches the stored results of all runs of all tenants as they come.
func (n Names) LiveAll() string { return n.Prefix() + ".live.*.*.*" }

// Reply is where a worker stores the reply to a job.
func (n Names) Reply(tenant, runID, jobID string) string {
	return n.run(token(tenant), token(runID)) + ".reply." + token(jobID)
}

// ReplyFilter matches the replies of a run, or of all runs of a tenant where runID is Any.
func (n Names) ReplyFilter(tenant, runID string) string {
	return n.run(filterToken(tenant), filterToken(runID)) + ".reply.*"
}

// RunFilter matches all that is stored of a run. A purge by it takes the replies with it, which a gateway
// may not have read yet; what a worker purges at the end of a run is ResultFilter.
func (n Names) RunFilter(tenant, runID string) string {
	return n.run(token(tenant), token(runID)) + ".>"
}

// Event is where a worker publishes a step of a run.
func (n Names) Event(tenant, runID string, kind protocol.EventKind) string {
	return n.Prefix() + ".event." + token(tenant) + "." + token(runID) + "." + token(string(kind))
}

// EventFilter matches the events of a run; both arguments may be Any.
func (n Names) EventFilter(tenant, runID string) string {
	return n.Prefix() + ".event." + filterToken(tenant) + "." + filterToken(runID) + ".*"
}

// AbortRun is where the abort of a run is broadcast to the workers (protocol 7).
func (n Names) AbortRun(tenant, runID string) string {
	return n.Prefix() + ".abort." + token(tenant) + ".run." + token(runID)
}

// AbortSession is where the abort of a session is broadcast; the session id may be any string.
func (n Names) AbortSession(tenant, sessionID string) string {
	return n.Prefix() + ".abort." + token(tenant) + ".session." + protocol.SessionToken(sessionID)
}

// AbortFilter matches all aborts of a tenant.
func (n Names) AbortFilter(tenant string) string {
	return n.Prefix() + ".abort." + token(tenant) + ".*.*"
}

// AbortAll matches all aborts of all tenants.
func (n Names) AbortAll() string { return n.Prefix() + ".abort.*.*.*" }

// Service is where a gateway requests an operation of the micro service (protocol 7).
func (n Names) Service(verb protocol.Verb, tenant string) string {
	return n.Prefix() + ".svc." + token(string(verb)) + "." + token(tenant)
}

// ServiceFilter matches the requests for an operation of all tenants.
func (n Names) ServiceFilter(verb protocol.Verb) string {
	return n.Prefix() + ".svc." + token(string(verb)) + ".*"
}

func (n Names) run(tenant, runID string) string {
	return n.Prefix() + ".run." + tenant + "." + runID
}
