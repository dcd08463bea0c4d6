package protocol

import (
	"encoding/json"
	"reflect"
	"testing"
)

func defaults() Config {
	return Config{
		Enabled: true, Languages: []Language{JavaScript, TypeScript}, TimeoutMs: 10000, MemoryLimitBytes: 67108864, MaxOutputBytes: 65536,
		MaxSnapshotBytes: 10485760, MaxPendingToolCalls: 16, SnapshotTTLSeconds: 900, MaxSearchLimit: 50, SearchDefaultLimit: 8,
	}
}

// TestResolveConfig covers contract 2.1 and 2.2: forms, defaults, clamps, junk.
func TestResolveConfig(t *testing.T) {
	t.Parallel()
	change := func(f func(*Config)) Config { c := defaults(); f(&c); return c }
	off := func(f func(*Config)) Config { c := defaults(); c.Enabled = false; f(&c); return c }
	none := func(*Config) {}
	cases := []struct {
		raw  string
		want Config
	}{
		{``, defaults()},
		{`null`, defaults()},
		{`true`, defaults()},
		{`false`, off(none)},
		{`"yes"`, off(none)},
		{`1`, off(none)},
		{`[]`, off(none)},
		{`{}`, off(none)},
		{`{"enabled":"true"}`, off(none)},
		{`{"timeoutMs":1234}`, off(func(c *Config) { c.TimeoutMs = 1234 })},
		{`{"enabled":true,"runtime":"v8","mode":"all","unknown":1}`, defaults()},
		{`{"enabled":true,"timeoutMs":1}`, change(func(c *Config) { c.TimeoutMs = 100 })},
		{`{"enabled":true,"timeoutMs":1e9}`, change(func(c *Config) { c.TimeoutMs = 60000 })},
		{`{"enabled":true,"timeoutMs":1e999}`, defaults()},
		{`{"enabled":true,"timeoutMs":0}`, defaults()},
		{`{"enabled":true,"timeoutMs":-5}`, defaults()},
		{`{"enabled":true,"timeoutMs":1.5}`, defaults()},
		{`{"enabled":true,"timeoutMs":"200"}`, defaults()},
		{`{"enabled":true,"timeoutMs":null}`, defaults()},
		{`{"enabled":true,"timeoutMs":200.0}`, change(func(c *Config) { c.TimeoutMs = 200 })},
		{`{"enabled":true,"memoryLimitBytes":1,"maxOutputBytes":1,"maxSnapshotBytes":1,"snapshotTtlSeconds":1}`, change(func(c *Config) {
			c.MemoryLimitBytes, c.MaxOutputBytes, c.MaxSnapshotBytes, c.SnapshotTTLSeconds = 1<<20, 1<<10, 1<<10, 1
		})},
		{`{"enabled":true,"memoryLimitBytes":1e12,"maxOutputBytes":1e12,"maxSnapshotBytes":1e12,"snapshotTtlSeconds":1e12,"maxPendingToolCalls":1e12}`, change(func(c *Config) {
			c.MemoryLimitBytes, c.MaxOutputBytes, c.MaxSnapshotBytes, c.SnapshotTTLSeconds, c.MaxPendingToolCalls = 1<<30, 10<<20, 256<<20, 86400, 128
		})},
		{`{"enabled":true,"maxSearchLimit":3}`, change(func(c *Config) { c.MaxSearchLimit, c.SearchDefaultLimit = 3, 3 })},
		{`{"enabled":true,"maxSearchLimit":90,"searchDefaultLimit":90}`, change(func(c *Config) { c.SearchDefaultLimit = 50 })},
		{`{"enabled":true,"languages":["typescript","ruby","typescript",5]}`, change(func(c *Config) { c.Languages = []Language{TypeScript} })},
		{`{"enabled":true,"languages":["ruby"]}`, defaults()},
		{`{"enabled":true,"languages":"javascript"}`, defaults()},
	}
	for _, c := range cases {
		if got := ResolveConfig(json.RawMessage(c.raw)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", c.raw, got, c.want)
		}
	}
}

// TestResolveAgentConfig covers the shallow merge of contract 2.1.
func TestResolveAgentConfig(t *testing.T) {
	t.Parallel()
	cases := []struct {
		global, agent string
		enabled       bool
		timeout       int
	}{
		{``, ``, false, 10000},
		{`true`, ``, true, 10000},
		{`true`, `false`, false, 10000},
		{`{"enabled":true,"timeoutMs":500}`, `{"timeoutMs":700}`, true, 700},
		{`{"enabled":true,"timeoutMs":500}`, `false`, false, 500},
		{`false`, `{"timeoutMs":700}`, false, 700},
		{`false`, `true`, true, 10000},
		{`{"enabled":true,"timeoutMs":500}`, `7`, true, 500},
	}
	for _, c := range cases {
		got := ResolveAgentConfig(json.RawMessage(c.global), json.RawMessage(c.agent))
		if got.Enabled != c.enabled || got.TimeoutMs != c.timeout {
			t.Errorf("global %s, agent %s: got %v, %d; want %v, %d", c.global, c.agent, got.Enabled, got.TimeoutMs, c.enabled, c.timeout)
		}
	}
}

// TestResolveSwarm covers contract 2.3.
func TestResolveSwarm(t *testing.T) {
	t.Parallel()
	want := Swarm{MaxConcurrent: 8, MaxChildrenPerGroup: 50, MaxTotalPerGroup: 200, WaitTimeoutSecondsMax: 600}
	if got := ResolveSwarm(nil); got != want {
		t.Errorf("missing: got %+v, want off with defaults", got)
	}
	want = Swarm{Enabled: true, MaxConcurrent: 1000, MaxChildrenPerGroup: 10000, MaxTotalPerGroup: 100000, WaitTimeoutSecondsMax: 86400, DefaultAgentID: "x"}
	got := ResolveSwarm(json.RawMessage(`{"enabled":true,"maxConcurrent":1e9,"maxChildrenPerGroup":1e9,"maxTotalPerGroup":1e9,"waitTimeoutSecondsMax":1e9,"defaultAgentId":"x"}`))
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := ResolveAgentSwarm(json.RawMessage(`true`), json.RawMessage(`{"maxConcurrent":2}`)); !got.Enabled || got.MaxConcurrent != 2 {
		t.Errorf("merged: got %+v", got)
	}
}
