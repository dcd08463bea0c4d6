package kvsnapshots

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"codemode/protocol"
)

var update = flag.Bool("update", false, "write the golden record of the current version")

// sampleRecord has a value in every field, so that a golden file shows when one is lost.
func sampleRecord() *Record {
	at := time.Date(2026, 3, 4, 5, 6, 7, 8, time.UTC)
	return &Record{
		V: RecordVersion, Tenant: "t", RunID: "cm_0123456789abcdef",
		Scope:  protocol.Scope{AgentID: "a", SessionID: "s", SessionKey: "k", AgentRunID: "r", ToolCallID: "c", Sender: "u", Channel: "ch"},
		Config: protocol.ResolveConfig(nil), Swarm: protocol.ResolveSwarm(json.RawMessage("true")),
		Code: "return await tools.a()", Language: protocol.TypeScript, Lines: []byte{1, 2, 3}, RestartSafe: true, CatalogRef: "ref",
		Namespaces: []protocol.Namespace{{ID: "n", PluginID: "p", GlobalName: "N", RequiredToolNames: []string{"a"}, Scope: protocol.Node{Kind: protocol.NodeObject}}},
		Started:    at, ParentToolCallID: "c", Clock: at.Add(time.Second), Methods: map[protocol.Method]int{protocol.MethodCall: 2},
		Pending: []Pending{
			{ID: 1, N: 1, Method: protocol.MethodCallValue, CallID: "callValue-1-00000000", ToolID: "openclaw:core:a", ToolName: "a", Input: json.RawMessage(`{"x":1}`), Attempt: 1},
			{ID: 2, N: 1, Method: protocol.MethodSleep, CallID: "sleep-1-00000000", Due: at.Add(time.Minute)},
			{ID: 3, N: 1, Method: protocol.MethodNamespace, CallID: "namespace-1-00000000", Path: []string{"n", "x"}, Accepted: true, Attempt: 2},
			{ID: 4, N: 1, Method: protocol.MethodSearch, CallID: "search-1-00000000", Rejected: "search query must be a string."},
		},
		Settled: []Settled{{CallID: "call-1-00000000", Seq: 7, At: at}},
		Outcome: &Outcome{Value: json.RawMessage(`{"b":1,"a":2}`), Error: "e", Detail: protocol.DetailGuestError}, DispatchStarted: true, EventSeq: 9,
		Telemetry: protocol.NewTelemetry(2), Guest: Counters{NextID: 5, OutputBytes: 10, Pending: 2, Timers: 1}, Engine: "e1",
		ParkedBy: "j", Reply: json.RawMessage(`{"status":"waiting"}`), Expires: at.Add(time.Hour),
		Claim: &Claim{JobID: "w", Worker: "x", Until: at}, State: []byte("state"),
	}
}

func TestRecordRoundTrip(t *testing.T) {
	t.Parallel()
	want := sampleRecord()
	data, err := want.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(data)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v (%v)\nwant %+v", got, err, want)
	}
}

// TestGoldenRecords reads the stored records of every version that was ever written.
func TestGoldenRecords(t *testing.T) {
	t.Parallel()
	current := filepath.Join("testdata", "record-v1.bin")
	if *update {
		data, err := sampleRecord().Encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(current, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join("testdata", "record-v*.bin"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden records: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Decode(data); err != nil || !reflect.DeepEqual(got, sampleRecord()) {
			t.Errorf("%s: got %+v (%v)", file, got, err)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	good, err := sampleRecord().Encode()
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string][]byte{
		"nothing":       nil,
		"other magic":   append([]byte("XXX"), good[3:]...),
		"other version": append([]byte("CMR\x07"), good[4:]...),
		"cut":           good[:recordHeader+4],
		"long meta":     append([]byte("CMR\x01\xff\xff\xff\xff"), good[8:]...),
		"broken meta":   append(bytes.Clone(good[:recordHeader+10]), bytes.Repeat([]byte{7}, len(good))...),
		"no meta":       []byte("CMR\x01\x00\x00\x00\x00"),
	}
	for name, data := range cases {
		if _, err := Decode(data); !errors.Is(err, ErrBadRecord) {
			t.Errorf("%s: got %v, want ErrBadRecord", name, err)
		}
	}
}

func TestClaimHeld(t *testing.T) {
	t.Parallel()
	now := time.Now()
	c := &Claim{JobID: "mine", Until: now.Add(time.Second)}
	if c.Held("mine", now) || !c.Held("other", now) || c.Held("other", now.Add(2*time.Second)) || (*Claim)(nil).Held("x", now) {
		t.Error("a claim holds against other jobs until it ends, and against nobody else")
	}
}

func FuzzDecode(f *testing.F) {
	good, err := sampleRecord().Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte("CMR\x01\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Decode(data)
		if err != nil {
			if !errors.Is(err, ErrBadRecord) {
				t.Errorf("error %v does not wrap ErrBadRecord", err)
			}
			return
		}
		if len(r.State) > len(data) {
			t.Error("state is larger than the record")
		}
	})
}
