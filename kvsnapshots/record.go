// Package kvsnapshots keeps suspended runs in JetStream KV: a record a run, with an expiry of its own,
// claimed by one leg at a time.
//
// It promises that a record is replaced whole or not at all, and that whoever writes holds the revision
// it read: a worker that was overtaken cannot write (design 3).
package kvsnapshots

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/klauspost/compress/zstd"

	"codemode/protocol"
)

// RecordVersion is the version of the stored form that this code writes.
const RecordVersion = 1

// Record is a suspended run: all that another worker needs to go on with it (contract 11.1).
type Record struct {
	V      int    `json:"v"`
	Tenant string `json:"tenant"`
	RunID  string `json:"runId"`

	// What the run was started with.
	Scope            protocol.Scope       `json:"scope"`
	Config           protocol.Config      `json:"config"`
	Swarm            protocol.Swarm       `json:"swarm"`
	Code             string               `json:"code"` // as submitted
	Language         protocol.Language    `json:"language"`
	Lines            []byte               `json:"lines,omitempty"` // line map of a TypeScript cell
	RestartSafe      bool                 `json:"restartSafe,omitempty"`
	CatalogRef       string               `json:"catalogRef,omitempty"` // "" for a run without tools
	Namespaces       []protocol.Namespace `json:"namespaces,omitempty"`
	Started          time.Time            `json:"started"` // stream timestamp of the exec job
	ParentToolCallID string               `json:"parentToolCallId,omitempty"`

	// How far it came.
	Clock           time.Time               `json:"clock"`
	Methods         map[protocol.Method]int `json:"methods,omitempty"` // requests so far, by method
	Pending         []Pending               `json:"pending,omitempty"` // in order of request
	Settled         []Settled               `json:"settled,omitempty"` // in the order of delivery
	Outcome         *Outcome                `json:"outcome,omitempty"` // of a cell that has ended while work is pending
	DispatchStarted bool                    `json:"dispatchStarted,omitempty"`
	EventSeq        int                     `json:"eventSeq"`
	Telemetry       protocol.Telemetry      `json:"telemetry"`
	Guest           Counters                `json:"guest"`
	Engine          string                  `json:"engine"` // identity of the engine that made State

	// How it was parked, and who goes on with it.
	ParkedBy string          `json:"parkedBy"` // job whose leg parked it
	Reply    json.RawMessage `json:"reply"`    // the waiting result of that leg
	Expires  time.Time       `json:"expires"`
	Claim    *Claim          `json:"claim,omitempty"`

	State []byte `json:"-"` // the VM's state delta
}

// Counters are what the VM counts for its run.
type Counters struct {
	NextID      int `json:"nextId"`
	OutputBytes int `json:"outputBytes"`
	Pending     int `json:"pending"`
	Timers      int `json:"timers"`
}

// Pending is a request that is not settled.
type Pending struct {
	ID       int             `json:"id"` // names the promise in the guest
	N        int             `json:"n"`  // counts the method's requests
	Method   protocol.Method `json:"method"`
	CallID   string          `json:"callId"`
	ToolID   string          `json:"toolId,omitempty"`
	ToolName string          `json:"toolName,omitempty"`
	Path     []string        `json:"path,omitempty"`  // namespace calls: namespace id and path
	Input    json.RawMessage `json:"input,omitempty"` // input, args or list of arguments; dropped once accepted
	Due      time.Time       `json:"due,omitzero"`    // timers
	Attempt  int             `json:"attempt,omitempty"`
	Accepted bool            `json:"accepted,omitempty"`
	Rejected string          `json:"rejected,omitempty"` // local requests that a check refused
}

// Settled is an answer that was delivered to the guest.
type Settled struct {
	CallID string    `json:"callId"`
	Seq    uint64    `json:"seq,omitempty"` // of the stored result; 0 for a yield
	At     time.Time `json:"at"`            // run clock
}

// Outcome of a cell.
type Outcome struct {
	Value  json.RawMessage `json:"value,omitempty"`
	Error  string          `json:"error,omitempty"`
	Detail protocol.Detail `json:"detail,omitempty"` // set if the cell failed
}

// Claim is a leg's hold on a record.
type Claim struct {
	JobID  string    `json:"jobId"`
	Worker string    `json:"worker"`
	Until  time.Time `json:"until"`
}

// Held reports whether another job than jobID holds the claim at the given time. The same job takes its
// own claim over: it was delivered again because its worker was lost.
func (c *Claim) Held(jobID string, now time.Time) bool {
	return c != nil && c.JobID != jobID && now.Before(c.Until)
}

// ErrBadRecord is wrapped by every error about a record that cannot be read.
var ErrBadRecord = errors.New("malformed run record")

const (
	recordMagic = "CMR"
	// A record is the magic, a version byte, the length of the compressed meta data as 4 bytes, the meta
	// data (JSON, zstd) and the VM's state, which is compressed by itself.
	recordHeader = 8
	// maxMeta bounds what a record's meta data may expand to.
	maxMeta = 64 << 20
)

var (
	recordEncoder, _ = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(true))
	recordDecoder, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxMeta))
)

// Encode gives the stored form.
func (r *Record) Encode() ([]byte, error) {
	meta, err := protocol.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode run record: %w", err)
	}
	out := make([]byte, recordHeader, recordHeader+len(meta)/2+len(r.State))
	copy(out, recordMagic)
	out[3] = RecordVersion
	out = recordEncoder.EncodeAll(meta, out)
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-recordHeader))
	return append(out, r.State...), nil
}

// Decode reads the stored form. The state is a part of data, not a copy.
func Decode(data []byte) (*Record, error) {
	if len(data) < recordHeader || string(data[:3]) != recordMagic {
		return nil, fmt.Errorf("%w: no header", ErrBadRecord)
	}
	if data[3] != RecordVersion {
		return nil, fmt.Errorf("%w: version %d", ErrBadRecord, data[3])
	}
	n := binary.LittleEndian.Uint32(data[4:])
	if uint64(n) > uint64(len(data)-recordHeader) {
		return nil, fmt.Errorf("%w: meta data of %d bytes", ErrBadRecord, n)
	}
	meta, err := recordDecoder.DecodeAll(data[recordHeader:recordHeader+n], nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadRecord, err)
	}
	var r Record
	if err := json.Unmarshal(meta, &r); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadRecord, err)
	}
	if r.V != RecordVersion {
		return nil, fmt.Errorf("%w: meta data of version %d", ErrBadRecord, r.V)
	}
	r.State = data[recordHeader+n:]
	return &r, nil
}
