package vm

import (
	"bytes"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"

	"codemode/protocol"
)

// State is a suspended VM.
type State struct {
	Data     []byte   // the state delta, see DESIGN.md
	Bytes    int      // its size before compression, what maxSnapshotBytes bounds (contract 11.2)
	Counters Counters // to be given to Resume
}

// ErrOtherEngine is returned by Resume for a state that another engine build or base image made.
var ErrOtherEngine = errors.New("state belongs to another engine build")

// ErrBadState is wrapped by every error about a state that cannot be read.
var ErrBadState = errors.New("malformed vm state")

const (
	deltaMagic   = "CMVM"
	deltaVersion = 1
	// Header: magic, version, 3 zero bytes, identity, memory size, stack pointer, pages, length of the
	// uncompressed body, XXH64 of what stands before it in the header and of the uncompressed body.
	deltaIdentity = 8
	deltaMemory   = deltaIdentity + 32
	deltaSP       = deltaMemory + 4
	deltaPages    = deltaSP + 4
	deltaBody     = deltaPages + 4
	deltaSum      = deltaBody + 4
	deltaHeader   = deltaSum + 8
)

var encoders = sync.Pool{New: func() any {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false),
		zstd.WithSingleSegment(true)) // every frame says how large its contents are
	if err != nil {
		panic(err) // the options are constants
	}
	return enc
}}

var decoders = sync.Pool{New: func() any {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxMemory+maxMemory/8))
	if err != nil {
		panic(err) // the options are constants
	}
	return dec
}}

// Suspend freezes an idle VM. It gives protocol.ErrSnapshot if the state is over maxBytes. The VM is not
// changed: it can go on, or be closed.
func (v *VM) Suspend(maxBytes int) (State, error) {
	if v.dead {
		return State{}, ErrClosed
	}
	in := v.in
	in.pages = in.mem.touched(in.pages[:0])
	sp := uint32(in.sp.Get())
	in.mem.clearStack(sp, in.pages)
	dirty := in.mem.dirty(in.pages)
	size := len(dirty) * pageSize
	if size > maxBytes {
		return State{}, protocol.ErrSnapshot
	}
	data := encodeDelta(delta{identity: v.engine.identity, memory: uint32(in.mem.size), sp: sp}, dirty, in.mem)
	return State{Data: data, Bytes: size, Counters: v.counts}, nil
}

// Resume makes a VM out of a state. The state must be of this engine (ErrOtherEngine) and whole
// (ErrBadState). Afterwards the VM stands where Suspend was called.
func (e *Engine) Resume(data []byte, counts Counters, host Host, limits Limits) (*VM, error) {
	d, body, err := decodeDelta(data)
	if err != nil {
		return nil, err
	}
	if subtle.ConstantTimeCompare(d.identity[:], e.identity[:]) != 1 {
		return nil, ErrOtherEngine
	}
	in, err := e.pool.get()
	if err != nil {
		return nil, err
	}
	v := e.bind(in, host, limits, counts)
	if err := in.restore(d, body); err != nil {
		v.destroy()
		return nil, err
	}
	return v, nil
}

func (in *instance) restore(d delta, body []byte) error {
	if have := uint32(in.mem.size); d.memory > have {
		if _, ok := in.mod.Memory().Grow((d.memory - have) / wasmPageSize); !ok {
			return fmt.Errorf("%w: memory of %d bytes is over the limit", ErrBadState, d.memory)
		}
	} else if d.memory < have {
		return fmt.Errorf("%w: memory of %d bytes is smaller than the image", ErrBadState, d.memory)
	}
	for _, r := range d.runs {
		at := uint64(r.page)*pageSize + uint64(r.word)*wordSize
		dst := in.mem.whole[at : at+uint64(r.words)*wordSize]
		subtle.XORBytes(dst, dst, body[:len(dst)])
		body = body[len(dst):]
	}
	in.sp.Set(uint64(d.sp))
	return nil
}

// wordSize is the unit in which pages are compared.
const (
	wordSize  = 8
	pageWords = pageSize / wordSize
)

// run is a stretch of words in a page that differ from the base image.
type run struct {
	page        uint32
	word, words uint16
}

// delta is the header of a state, with the runs of its body in rising order.
type delta struct {
	identity   [32]byte
	memory, sp uint32
	pages      uint32 // how many differ
	runs       []run
}

// encodeDelta writes the header and the compressed body: for each page its distance from the one before,
// the number of its runs, and for each of them the words passed over and the words in it; then the words
// of all runs, XOR those of the base image.
func encodeDelta(d delta, dirty []uint32, mem *linear) []byte {
	table := make([]byte, 0, 16*len(dirty))
	words := make([]byte, 0, 512*len(dirty))
	var runs []byte
	last := uint32(0)
	for _, i := range dirty {
		var n int
		runs, words, n = appendRuns(runs[:0], words, mem.page(i), mem.base.page(i))
		table = binary.AppendUvarint(table, uint64(i-last))
		table = append(binary.AppendUvarint(table, uint64(n)), runs...)
		last = i
	}
	body := append(table, words...)
	out := make([]byte, deltaHeader, deltaHeader+len(body)/2)
	copy(out, deltaMagic)
	out[4] = deltaVersion
	copy(out[deltaIdentity:], d.identity[:])
	binary.LittleEndian.PutUint32(out[deltaMemory:], d.memory)
	binary.LittleEndian.PutUint32(out[deltaSP:], d.sp)
	binary.LittleEndian.PutUint32(out[deltaPages:], uint32(len(dirty)))
	binary.LittleEndian.PutUint32(out[deltaBody:], uint32(len(body)))
	binary.LittleEndian.PutUint64(out[deltaSum:], deltaChecksum(out, body))
	enc := encoders.Get().(*zstd.Encoder)
	defer encoders.Put(enc)
	return enc.EncodeAll(body, out)
}

// appendRuns appends the runs in which a page differs from its base, and their words.
func appendRuns(runs, words, page, base []byte) ([]byte, []byte, int) {
	n, last := 0, 0
	for w := 0; w < pageWords; {
		if word(page, w) == word(base, w) {
			w++
			continue
		}
		first := w
		for w < pageWords && word(page, w) != word(base, w) {
			words = binary.LittleEndian.AppendUint64(words, word(page, w)^word(base, w))
			w++
		}
		runs = binary.AppendUvarint(runs, uint64(first-last))
		runs = binary.AppendUvarint(runs, uint64(w-first))
		last = w
		n++
	}
	return runs, words, n
}

func word(page []byte, w int) uint64 { return binary.LittleEndian.Uint64(page[w*wordSize:]) }

func deltaChecksum(header, body []byte) uint64 {
	h := xxhash.New()
	_, _ = h.Write(header[:deltaSum]) // never fails
	_, _ = h.Write(body)
	return h.Sum64()
}

// decodeDelta reads a state and checks every bound before memory is touched. The bytes are not trusted:
// what is allocated is bounded by the largest memory a guest can have.
func decodeDelta(data []byte) (delta, []byte, error) {
	var d delta
	bad := func(what string) (delta, []byte, error) { return delta{}, nil, fmt.Errorf("%w: %s", ErrBadState, what) }
	if len(data) < deltaHeader || string(data[:4]) != deltaMagic {
		return bad("no header")
	}
	if data[4] != deltaVersion || !bytes.Equal(data[5:8], []byte{0, 0, 0}) {
		return bad(fmt.Sprintf("version %d", data[4]))
	}
	copy(d.identity[:], data[deltaIdentity:])
	d.memory = binary.LittleEndian.Uint32(data[deltaMemory:])
	d.sp = binary.LittleEndian.Uint32(data[deltaSP:])
	d.pages = binary.LittleEndian.Uint32(data[deltaPages:])
	size := binary.LittleEndian.Uint32(data[deltaBody:])
	switch {
	case uint64(d.memory) > maxMemory || d.memory%wasmPageSize != 0:
		return bad("memory size")
	case d.sp > stackTop || d.sp%16 != 0:
		return bad("stack pointer")
	case d.pages > d.memory/pageSize:
		return bad("more pages than memory")
	case uint64(size) > uint64(d.pages)*maxPageBody:
		return bad("body size")
	}
	body, err := decompress(data[deltaHeader:], int(size))
	if err != nil {
		return bad(err.Error())
	}
	if deltaChecksum(data, body) != binary.LittleEndian.Uint64(data[deltaSum:]) {
		return bad("checksum")
	}
	words, ok := d.readRuns(body)
	if !ok {
		return bad("runs")
	}
	return d, words, nil
}

// maxPageBody bounds what a page takes in a body: every second word a run of its own, and all words.
const maxPageBody = pageSize + pageWords*2 + 2*binary.MaxVarintLen32

// readRuns reads the table of a body and gives the words behind it, which are exactly as many as the runs have.
func (d *delta) readRuns(body []byte) (words []byte, ok bool) {
	next := func() uint64 {
		v, n := binary.Uvarint(body)
		if n <= 0 {
			body, ok = nil, false
			return 0
		}
		body = body[n:]
		return v
	}
	ok = true
	total, page := uint64(0), uint64(0)
	for k := range d.pages {
		step, count := next(), next()
		page += step
		if !ok || k > 0 && step == 0 || step > uint64(d.memory) || page >= uint64(d.memory/pageSize) || count > pageWords {
			return nil, false
		}
		at := uint64(0)
		for range count {
			gap, length := next(), next()
			if !ok || gap > pageWords || length == 0 || length > pageWords || at+gap+length > pageWords {
				return nil, false
			}
			d.runs = append(d.runs, run{page: uint32(page), word: uint16(at + gap), words: uint16(length)})
			at += gap + length
			total += length
		}
	}
	return body, uint64(len(body)) == total*wordSize
}

func decompress(data []byte, size int) ([]byte, error) {
	var h zstd.Header
	if err := h.Decode(data); err != nil {
		return nil, err
	}
	if !h.HasFCS && size > 0 || h.FrameContentSize != uint64(size) {
		return nil, fmt.Errorf("frame of %d bytes, want %d", h.FrameContentSize, size)
	}
	dec := decoders.Get().(*zstd.Decoder)
	defer decoders.Put(dec)
	out, err := dec.DecodeAll(data, make([]byte, 0, size))
	if err != nil {
		return nil, err
	}
	if len(out) != size {
		return nil, fmt.Errorf("body of %d bytes, want %d", len(out), size)
	}
	return out, nil
}
