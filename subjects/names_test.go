package subjects_test

import (
	"errors"
	"strings"
	"testing"

	"codemode/protocol"
	"codemode/subjects"
)

const (
	tenant  = "acme"
	runID   = "cm_0123456789abcdef"
	jobID   = "job-1"
	callID  = "call-1-0a1b2c3d"
	session = "s_1"
)

func names(t testing.TB, prefix string) subjects.Names {
	t.Helper()
	n, err := subjects.New(prefix)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestSubjects holds every subject of protocol 2, built and, where something reads it, read back.
func TestSubjects(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"", "cm", "eu-1.cm_x"} {
		n := names(t, prefix)
		p := n.Prefix()
		for _, c := range []struct{ got, want string }{
			{n.Job(protocol.JobExec, tenant), "cm.job.exec.acme"},
			{n.Job(protocol.JobWait, tenant), "cm.job.wait.acme"},
			{n.JobFilter(protocol.JobExec), "cm.job.exec.*"},
			{n.JobAll(), "cm.job.*.*"},
			{n.Call(tenant, runID, callID), "cm.run.acme.cm_0123456789abcdef.call.call-1-0a1b2c3d"},
			{n.CallFilter(tenant, runID), "cm.run.acme.cm_0123456789abcdef.call.*"},
			{n.CallFilter(tenant, subjects.Any), "cm.run.acme.*.call.*"},
			{n.Result(tenant, runID, callID), "cm.run.acme.cm_0123456789abcdef.result.call-1-0a1b2c3d"},
			{n.ResultFilter(tenant, runID), "cm.run.acme.cm_0123456789abcdef.result.*"},
			{n.ResultFilter(subjects.Any, subjects.Any), "cm.run.*.*.result.*"},
			{n.Live(tenant, runID, callID), "cm.live.acme.cm_0123456789abcdef.call-1-0a1b2c3d"},
			{n.Live(tenant, runID, subjects.Any), "cm.live.acme.cm_0123456789abcdef.*"},
			{n.LiveAll(), "cm.live.*.*.*"},
			{n.Reply(tenant, runID, jobID), "cm.run.acme.cm_0123456789abcdef.reply.job-1"},
			{n.ReplyFilter(tenant, runID), "cm.run.acme.cm_0123456789abcdef.reply.*"},
			{n.ReplyFilter(tenant, subjects.Any), "cm.run.acme.*.reply.*"},
			{n.RunFilter(tenant, runID), "cm.run.acme.cm_0123456789abcdef.>"},
			{n.Event(tenant, runID, protocol.EventStarted), "cm.event.acme.cm_0123456789abcdef.started"},
			{n.EventFilter(tenant, runID), "cm.event.acme.cm_0123456789abcdef.*"},
			{n.EventFilter(subjects.Any, subjects.Any), "cm.event.*.*.*"},
			{n.AbortRun(tenant, runID), "cm.abort.acme.run.cm_0123456789abcdef"},
			{n.AbortSession(tenant, session), "cm.abort.acme.session.s_1"},
			{n.AbortSession(tenant, "chat: 1"), "cm.abort.acme.session." + protocol.SessionToken("chat: 1")},
			{n.AbortFilter(tenant), "cm.abort.acme.*.*"},
			{n.AbortAll(), "cm.abort.*.*.*"},
			{n.Service(protocol.VerbStatus, tenant), "cm.svc.status.acme"},
			{n.Service(protocol.VerbAbort, tenant), "cm.svc.abort.acme"},
			{n.ServiceFilter(protocol.VerbSurface), "cm.svc.surface.*"},
		} {
			if w := p + strings.TrimPrefix(c.want, "cm"); c.got != w {
				t.Errorf("prefix %q: got %s, want %s", prefix, c.got, w)
			}
		}
		readBack(t, n)
	}
}

func readBack(t *testing.T, n subjects.Names) {
	t.Helper()
	for _, kind := range []protocol.JobKind{protocol.JobExec, protocol.JobWait} {
		if k, ten, ok := n.ParseJob(n.Job(kind, tenant)); k != kind || ten != tenant || !ok {
			t.Errorf("ParseJob gives %q, %q, %v", k, ten, ok)
		}
	}
	if id, ok := n.ParseResult(n.Result(tenant, runID, callID)); id != callID || !ok {
		t.Errorf("ParseResult gives %q, %v", id, ok)
	}
	if id, ok := n.ParseLive(n.Live(tenant, runID, callID)); id != callID || !ok {
		t.Errorf("ParseLive gives %q, %v", id, ok)
	}
	if a, ok := n.ParseAbort(n.AbortRun(tenant, runID)); a != (subjects.Abort{Tenant: tenant, RunID: runID}) || !ok {
		t.Errorf("ParseAbort of a run gives %+v, %v", a, ok)
	}
	for _, id := range []string{session, "chat: 1", ""} {
		want := subjects.Abort{Tenant: tenant, SessionToken: protocol.SessionToken(id)}
		if a, ok := n.ParseAbort(n.AbortSession(tenant, id)); a != want || !ok {
			t.Errorf("ParseAbort of session %q gives %+v, %v", id, a, ok)
		}
	}
	if ten, ok := n.ParseService(n.Service(protocol.VerbStatus, tenant)); ten != tenant || !ok {
		t.Errorf("ParseService gives %q, %v", ten, ok)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	n := names(t, "cm")
	long := strings.Repeat("a", 65)
	for _, s := range []string{
		"", "cm", "cm.", "cm.job", "cm.job.", "cm.job.exec", "cm.job.exec.", "cm.job.run.acme", "cm.job.exec.a.b", "cm.job.exec.*", "cm.job.exec." + long,
		"cmx.job.exec.acme", "x.job.exec.acme", "cm.run.acme.r.result", "cm.run.acme.r.result.", "cm.run.acme.r.result.a.b", "cm.run.acme.r.reply.j",
		"cm.run.acme..result.c", "cm.run..r.result.c", "cm.run.acme.r.result.*", "cm.live.acme.r", "cm.live.acme.r.c.d", "cm.live.acme.r.>", "cm.live..r.c",
		"cm.abort.acme.run", "cm.abort.acme.run.", "cm.abort.acme.job.x", "cm.abort.acme.run.a.b", "cm.abort..run.a", "cm.svc.status", "cm.svc.status.", "cm.svc..acme", "cm.svc.status.a.b",
	} {
		_, _, job := n.ParseJob(s)
		_, result := n.ParseResult(s)
		_, live := n.ParseLive(s)
		_, abort := n.ParseAbort(s)
		_, svc := n.ParseService(s)
		if job || result || live || abort || svc {
			t.Errorf("%q is read as job %v, result %v, live %v, abort %v, service %v", s, job, result, live, abort, svc)
		}
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	n := names(t, "other")
	for _, c := range []struct{ got, want string }{
		{n.SnapshotKey(tenant, runID), "acme.cm_0123456789abcdef"},
		{n.AbortMarkKey(tenant, runID), "acme.aborted.cm_0123456789abcdef"},
		{n.AbortMarkKey(tenant, protocol.SessionToken("a b")), "acme.aborted." + protocol.SessionToken("a b")},
		{n.SessionIndexKey(tenant, session, runID), "acme.session.s_1.cm_0123456789abcdef"},
		{n.SessionIndexKey(tenant, "a b", runID), "acme.session." + protocol.SessionToken("a b") + ".cm_0123456789abcdef"},
		{n.SessionIndexFilter(tenant, session), "acme.session.s_1.*"},
		{n.CatalogKey(tenant, "00ff"), "acme.00ff"},
		{n.CallKey(tenant, runID, callID), "acme.cm_0123456789abcdef.call-1-0a1b2c3d"},
		{n.ApprovalKey(tenant, runID, callID), "acme.approval.cm_0123456789abcdef.call-1-0a1b2c3d"},
		{n.ApprovalFilter(tenant), "acme.approval.*.*"},
		{n.ExecutorKey(tenant, "e1"), "acme.executor.e1.lease"},
		{subjects.KeySubject(subjects.BucketSnapshots, n.SnapshotKey(tenant, runID)), "$KV.CM_SNAPSHOTS.acme.cm_0123456789abcdef"},
		{subjects.BucketStream(subjects.BucketCatalogs), "KV_CM_CATALOGS"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
	key, ok := subjects.ParseKeySubject(subjects.BucketSnapshots, "$KV.CM_SNAPSHOTS.acme.cm_0123456789abcdef")
	if ten, run, parsed := n.ParseSnapshotKey(key); !ok || !parsed || ten != tenant || run != runID {
		t.Errorf("the record's key reads as %q, %q, %v", ten, run, parsed)
	}
	for _, key := range []string{"", "acme", "acme.", ".x", n.AbortMarkKey(tenant, runID), n.SessionIndexKey(tenant, session, runID), "a b.c"} {
		if _, _, ok := n.ParseSnapshotKey(key); ok {
			t.Errorf("%q is read as the key of a record", key)
		}
	}
}

func TestUncheckedTokensStayInTheirPlace(t *testing.T) {
	t.Parallel()
	n := names(t, "")
	for _, bad := range []string{"", "*", ">", "a.b", "a b", "ä", "a\r\nPUB", strings.Repeat("x", 300)} {
		for _, s := range []string{
			n.Job(protocol.JobExec, bad), n.Call(tenant, bad, callID), n.Result(tenant, runID, bad), n.Reply(tenant, runID, bad), n.Live(tenant, bad, callID),
			n.AbortRun(tenant, bad), n.AbortSession(tenant, bad), n.Service(protocol.VerbAbort, bad), n.RunFilter(tenant, bad)[:len(n.RunFilter(tenant, bad))-1],
			n.SnapshotKey(tenant, bad), n.SessionIndexKey(tenant, bad, runID), n.CatalogKey(tenant, bad),
		} {
			if strings.ContainsAny(s, "*> \r\n") || strings.Contains(s, "..") || len(s) > 200 {
				t.Errorf("%q gives %q", bad, s)
			}
		}
	}
	if a, b := n.Reply(tenant, runID, "*"), n.Reply(tenant, runID, ">"); a == b {
		t.Errorf("two ids share the subject %s", a)
	}
}

func TestPrefix(t *testing.T) {
	t.Parallel()
	var zero subjects.Names
	if zero.JobAll() != "cm.job.*.*" {
		t.Errorf("the zero value gives %s", zero.JobAll())
	}
	for _, bad := range []string{".", "a.", ".a", "a..b", "a.*", "a.>", "a b", "$JS", "ä", strings.Repeat("a.", 64) + "b"} {
		if _, err := subjects.New(bad); !errors.Is(err, subjects.ErrPrefix) {
			t.Errorf("prefix %q: got %v, want ErrPrefix", bad, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	n := names(f, "cm")
	for _, s := range []string{
		n.Job(protocol.JobWait, tenant), n.Result(tenant, runID, callID), n.Live(tenant, runID, callID), n.AbortRun(tenant, runID),
		n.AbortSession(tenant, "x y"), n.Service(protocol.VerbStatus, tenant), "cm.run.a.b.result.c.d", "cm.job.exec.*", "cm..", "",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if kind, ten, ok := n.ParseJob(s); ok && n.Job(kind, ten) != s {
			t.Errorf("ParseJob(%q) gives %q, %q", s, kind, ten)
		}
		if id, ok := n.ParseResult(s); ok && !strings.HasSuffix(s, ".result."+id) {
			t.Errorf("ParseResult(%q) gives %q", s, id)
		}
		if id, ok := n.ParseLive(s); ok && (!strings.HasSuffix(s, "."+id) || strings.Count(s, ".") != 4) {
			t.Errorf("ParseLive(%q) gives %q", s, id)
		}
		if a, ok := n.ParseAbort(s); ok {
			back := n.AbortRun(a.Tenant, a.RunID)
			if a.RunID == "" {
				back = "cm.abort." + a.Tenant + ".session." + a.SessionToken
			}
			if back != s {
				t.Errorf("ParseAbort(%q) gives %+v", s, a)
			}
		}
		if ten, ok := n.ParseService(s); ok && (!protocol.ValidTenant(ten) || !strings.HasSuffix(s, "."+ten)) {
			t.Errorf("ParseService(%q) gives %q", s, ten)
		}
		if ten, run, ok := n.ParseSnapshotKey(s); ok && n.SnapshotKey(ten, run) != s {
			t.Errorf("ParseSnapshotKey(%q) gives %q, %q", s, ten, run)
		}
	})
}

func BenchmarkLiveSubject(b *testing.B) {
	n := names(b, "cm")
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := n.ParseLive(n.Live(tenant, runID, callID)); !ok {
			b.Fatal("not ok")
		}
	}
}
