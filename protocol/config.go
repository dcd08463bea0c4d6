package protocol

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
)

// Config is the resolved configuration of code mode (contract 2.2). A run keeps the one it was started with.
type Config struct {
	Enabled             bool       `json:"enabled"`
	Languages           []Language `json:"languages"`
	TimeoutMs           int        `json:"timeoutMs"`        // wall clock of one leg
	MemoryLimitBytes    int        `json:"memoryLimitBytes"` // guest heap
	MaxOutputBytes      int        `json:"maxOutputBytes"`   // whole run, contract 14.3
	MaxSnapshotBytes    int        `json:"maxSnapshotBytes"` // before compression, contract 11.2
	MaxPendingToolCalls int        `json:"maxPendingToolCalls"`
	SnapshotTTLSeconds  int        `json:"snapshotTtlSeconds"`
	MaxSearchLimit      int        `json:"maxSearchLimit"`
	SearchDefaultLimit  int        `json:"searchDefaultLimit"`
}

// Swarm is the resolved configuration of swarm (contract 2.3).
type Swarm struct {
	Enabled               bool   `json:"enabled"`
	MaxConcurrent         int    `json:"maxConcurrent"`
	MaxChildrenPerGroup   int    `json:"maxChildrenPerGroup"`
	MaxTotalPerGroup      int    `json:"maxTotalPerGroup"`
	WaitTimeoutSecondsMax int    `json:"waitTimeoutSecondsMax"`
	DefaultAgentID        string `json:"defaultAgentId"`
}

// ResolveConfig resolves the field "config" of an exec job: missing or null is enabled with defaults,
// anything that is neither boolean nor object is disabled (contract 2.1). It never fails.
func ResolveConfig(raw json.RawMessage) Config {
	if isNull(raw) {
		raw = json.RawMessage("true")
	}
	return configOf(rawFields(raw))
}

// ResolveAgentConfig merges an agent's own setting over the global one and resolves the result, as a
// gateway does before it makes a job; here not given means disabled (contract 2.1).
func ResolveAgentConfig(global, agent json.RawMessage) Config {
	return configOf(mergeFields(global, agent))
}

// ResolveSwarm resolves the field "swarm" of an exec job: missing means off (contract 2.3).
func ResolveSwarm(raw json.RawMessage) Swarm { return swarmOf(rawFields(raw)) }

// ResolveAgentSwarm is ResolveAgentConfig for swarm.
func ResolveAgentSwarm(global, agent json.RawMessage) Swarm {
	return swarmOf(mergeFields(global, agent))
}

func configOf(f map[string]json.RawMessage) Config {
	c := Config{
		Enabled:             boolField(f, "enabled"),
		Languages:           languages(f["languages"]),
		TimeoutMs:           intField(f, "timeoutMs", 10_000, 100, 60_000),
		MemoryLimitBytes:    intField(f, "memoryLimitBytes", 64<<20, 1<<20, 1<<30),
		MaxOutputBytes:      intField(f, "maxOutputBytes", 64<<10, 1<<10, 10<<20),
		MaxSnapshotBytes:    intField(f, "maxSnapshotBytes", 10<<20, 1<<10, 256<<20),
		MaxPendingToolCalls: intField(f, "maxPendingToolCalls", 16, 1, 128),
		SnapshotTTLSeconds:  intField(f, "snapshotTtlSeconds", 900, 1, 86_400),
		MaxSearchLimit:      intField(f, "maxSearchLimit", 50, 1, 50),
	}
	c.SearchDefaultLimit = intField(f, "searchDefaultLimit", 8, 1, c.MaxSearchLimit)
	return c
}

func swarmOf(f map[string]json.RawMessage) Swarm {
	s := Swarm{
		Enabled:               boolField(f, "enabled"),
		MaxConcurrent:         intField(f, "maxConcurrent", 8, 1, 1000),
		MaxChildrenPerGroup:   intField(f, "maxChildrenPerGroup", 50, 1, 10_000),
		MaxTotalPerGroup:      intField(f, "maxTotalPerGroup", 200, 1, 100_000),
		WaitTimeoutSecondsMax: intField(f, "waitTimeoutSecondsMax", 600, 1, 86_400),
	}
	_ = json.Unmarshal(f["defaultAgentId"], &s.DefaultAgentID)
	return s
}

// rawFields gives the fields of a raw setting, nil where it is not given.
func rawFields(raw json.RawMessage) map[string]json.RawMessage {
	var enabled bool
	if !isNull(raw) && json.Unmarshal(raw, &enabled) == nil {
		return map[string]json.RawMessage{"enabled": json.RawMessage(strconv.FormatBool(enabled))}
	}
	var fields map[string]json.RawMessage
	if isObject(raw) && json.Unmarshal(raw, &fields) == nil {
		return fields
	}
	return nil
}

func mergeFields(global, agent json.RawMessage) map[string]json.RawMessage {
	merged := map[string]json.RawMessage{}
	for _, raw := range []json.RawMessage{global, agent} {
		for k, v := range rawFields(raw) {
			merged[k] = v
		}
	}
	return merged
}

func boolField(f map[string]json.RawMessage, key string) bool {
	var b bool
	return !isNull(f[key]) && json.Unmarshal(f[key], &b) == nil && b
}

func intField(f map[string]json.RawMessage, key string, def, lo, hi int) int {
	v := float64(def)
	var given float64
	if raw := f[key]; !isNull(raw) && json.Unmarshal(raw, &given) == nil && given > 0 && given == math.Trunc(given) {
		v = given
	}
	return int(math.Min(math.Max(v, float64(lo)), float64(hi)))
}

func languages(raw json.RawMessage) []Language {
	var given []any
	_ = json.Unmarshal(raw, &given)
	var kept []Language
	for _, g := range given {
		s, _ := g.(string)
		if l := Language(s); (l == JavaScript || l == TypeScript) && !slices.Contains(kept, l) {
			kept = append(kept, l)
		}
	}
	if len(kept) == 0 {
		return []Language{JavaScript, TypeScript}
	}
	return kept
}
