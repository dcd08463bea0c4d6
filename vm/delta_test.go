package vm

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// plainMemory is a memory over an image, on the Go heap.
func plainMemory(image []byte, size int) *linear {
	whole := make([]byte, size)
	copy(whole, image)
	return &linear{base: &base{image: image}, whole: whole, size: uint64(size), limit: uint64(size)}
}

// apply does to a fresh memory what restoring a state does.
func apply(mem *linear, d delta, words []byte) {
	in := &instance{mem: mem}
	for _, r := range d.runs {
		at := int(r.page)*pageSize + int(r.word)*wordSize
		for i := range int(r.words) * wordSize {
			in.mem.whole[at+i] ^= words[i]
		}
		words = words[int(r.words)*wordSize:]
	}
}

// sampleMemory is a memory whose pages differ from the image in every way that matters to the format:
// not at all, in the first word, the last, every second, all, and one beyond the image.
func sampleMemory() *linear {
	image := make([]byte, 2*wasmPageSize)
	for i := range image {
		image[i] = byte(i * 7)
	}
	mem := plainMemory(image, 4*wasmPageSize)
	mem.page(1)[0]++
	mem.page(2)[pageSize-1]++
	for w := 0; w < pageWords; w += 2 {
		mem.page(5)[w*wordSize+3] ^= 0xff
	}
	for i := range mem.page(31) {
		mem.page(31)[i] ^= 0x55
	}
	copy(mem.page(63)[100:], "beyond the image")
	return mem
}

func sampleState() ([]byte, *linear) {
	mem := sampleMemory()
	all := allPages(nil, len(mem.base.image)/pageSize)
	d := delta{identity: [32]byte{1, 2, 3, 31: 32}, memory: uint32(mem.size), sp: 1<<20 - 64}
	return encodeDelta(d, mem.dirty(all), mem), mem
}

func TestDeltaRoundTrip(t *testing.T) {
	t.Parallel()
	data, want := sampleState()
	d, words, err := decodeDelta(data)
	if err != nil {
		t.Fatal(err)
	}
	if d.memory != 4*wasmPageSize || d.sp != 1<<20-64 || d.pages != 5 || d.identity != [32]byte{1, 2, 3, 31: 32} {
		t.Errorf("decoded %+v", d)
	}
	if n := 1 + 1 + pageWords/2 + 1 + 1; len(d.runs) != n {
		t.Errorf("%d runs, want %d", len(d.runs), n)
	}
	got := plainMemory(want.base.image, int(want.size))
	apply(got, d, words)
	if diff := memoryDifference(got, want); diff != "" {
		t.Error(diff)
	}
}

func TestDeltaOfNothing(t *testing.T) {
	t.Parallel()
	mem := plainMemory(make([]byte, wasmPageSize), wasmPageSize)
	d, words, err := decodeDelta(encodeDelta(delta{memory: wasmPageSize}, nil, mem))
	if err != nil || len(d.runs) != 0 || len(words) != 0 {
		t.Errorf("got %+v, %d bytes, %v", d, len(words), err)
	}
}

// Encoding gives the same bytes whatever the encoder was used for before.
func TestDeltaBytesAreRepeatable(t *testing.T) {
	t.Parallel()
	want, _ := sampleState()
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		other := plainMemory(make([]byte, wasmPageSize), wasmPageSize)
		for i := range rng.IntN(len(other.whole)) {
			other.whole[i] = byte(rng.Uint32() >> (rng.IntN(3) * 8))
		}
		encodeDelta(delta{memory: wasmPageSize}, other.dirty(allPages(nil, 16)), other)
		if got, _ := sampleState(); !bytes.Equal(got, want) {
			t.Fatal("the same memory gave other bytes")
		}
	}
}

// sealed writes a header field into a state and makes the checksum fit again, so that the bound itself is tested.
func sealed(tb testing.TB, data []byte, change func(header []byte)) []byte {
	tb.Helper()
	out := slices.Clone(data)
	size := binary.LittleEndian.Uint32(data[deltaBody:])
	body, err := decompress(data[deltaHeader:], int(size))
	if err != nil {
		tb.Fatal(err)
	}
	change(out)
	binary.LittleEndian.PutUint64(out[deltaSum:], deltaChecksum(out, body))
	return out
}

// withBody makes a state of any body.
func withBody(body []byte, pages, memory uint32) []byte {
	out := make([]byte, deltaHeader)
	copy(out, deltaMagic)
	out[4] = deltaVersion
	binary.LittleEndian.PutUint32(out[deltaMemory:], memory)
	binary.LittleEndian.PutUint32(out[deltaPages:], pages)
	binary.LittleEndian.PutUint32(out[deltaBody:], uint32(len(body)))
	binary.LittleEndian.PutUint64(out[deltaSum:], deltaChecksum(out, body))
	enc := encoders.Get().(*zstd.Encoder)
	defer encoders.Put(enc)
	return enc.EncodeAll(body, out)
}

func uvarints(values ...uint64) []byte {
	var out []byte
	for _, v := range values {
		out = binary.AppendUvarint(out, v)
	}
	return out
}

func TestBadStates(t *testing.T) {
	t.Parallel()
	good, _ := sampleState()
	put32 := func(at int, v uint32) func([]byte) {
		return func(h []byte) { binary.LittleEndian.PutUint32(h[at:], v) }
	}
	word := make([]byte, wordSize)
	huge := binary.AppendUvarint(nil, 1<<63)
	cases := []struct {
		name string
		data []byte
		says string
	}{
		{"nothing", nil, "no header"},
		{"short header", good[:deltaHeader-1], "no header"},
		{"another magic", sealed(t, good, func(h []byte) { h[0] = 'X' }), "no header"},
		{"version 0", sealed(t, good, func(h []byte) { h[4] = 0 }), "version 0"},
		{"version 2", sealed(t, good, func(h []byte) { h[4] = 2 }), "version 2"},
		{"reserved byte", sealed(t, good, func(h []byte) { h[6] = 1 }), "version"},
		{"identity", func() []byte { b := slices.Clone(good); b[deltaIdentity] ^= 1; return b }(), "checksum"},
		{"memory beyond the largest", sealed(t, good, put32(deltaMemory, 1<<31)), "memory size"},
		{"memory of half a page", sealed(t, good, put32(deltaMemory, 4*wasmPageSize+1)), "memory size"},
		{"memory too small for its pages", sealed(t, good, put32(deltaMemory, wasmPageSize)), "runs"},
		{"stack pointer beyond the stack", sealed(t, good, put32(deltaSP, stackTop+16)), "stack pointer"},
		{"stack pointer not aligned", sealed(t, good, put32(deltaSP, 1000)), "stack pointer"},
		{"more pages than memory", sealed(t, good, put32(deltaPages, 65)), "more pages than memory"},
		{"one page less", sealed(t, good, put32(deltaPages, 4)), "runs"},
		{"one page more", sealed(t, good, put32(deltaPages, 6)), "runs"},
		{"body of another size", sealed(t, good, put32(deltaBody, 5000)), "frame of"},
		{"body of 4 GB", sealed(t, good, put32(deltaBody, 1<<32-1)), "body size"},
		{"checksum", func() []byte { b := slices.Clone(good); b[deltaSum] ^= 1; return b }(), "checksum"},
		{"no frame", good[:deltaHeader], "malformed vm state"},
		{"cut frame", good[:len(good)-3], "malformed vm state"},
		{"page step of 0", withBody(append(uvarints(1, 1, 0, 1, 0, 1, 1, 1), append(word, word...)...), 2, wasmPageSize), "runs"},
		{"page beyond memory", withBody(append(uvarints(16, 1, 0, 1), word...), 1, wasmPageSize), "runs"},
		{"page step that wraps", withBody(append(append(huge, uvarints(1, 0, 1)...), word...), 1, wasmPageSize), "runs"},
		{"too many runs", withBody(append(uvarints(0, pageWords+1, 0, 1), word...), 1, wasmPageSize), "runs"},
		{"run beyond the page", withBody(append(uvarints(0, 1, pageWords, 1), word...), 1, wasmPageSize), "runs"},
		{"run of no words", withBody(uvarints(0, 1, 0, 0), 1, wasmPageSize), "runs"},
		{"run of more words than a page", withBody(uvarints(0, 1, 0, pageWords+1), 1, wasmPageSize), "runs"},
		{"words missing", withBody(append(uvarints(0, 1, 0, 2), word...), 1, wasmPageSize), "runs"},
		{"words left over", withBody(append(uvarints(0, 1, 0, 1), append(word, 1)...), 1, wasmPageSize), "runs"},
		{"number without an end", withBody([]byte{0x80, 0x80}, 1, wasmPageSize), "runs"},
	}
	for _, c := range cases {
		_, _, err := decodeDelta(c.data)
		if !errors.Is(err, ErrBadState) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want ErrBadState that says %q", c.name, err, c.says)
		}
		if _, err := testEngine(t).Resume(c.data, Counters{}, noHost{}, testLimits()); !errors.Is(err, ErrBadState) {
			t.Errorf("%s: Resume gave %v, want ErrBadState", c.name, err)
		}
	}
}

// Any flipped bit is noticed, if not by a bound then by the checksum. A bit of the frame's header may
// change without changing what the frame holds.
func TestFlippedBits(t *testing.T) {
	t.Parallel()
	good, _ := sampleState()
	want, wantWords, err := decodeDelta(good)
	if err != nil {
		t.Fatal(err)
	}
	for bit := range len(good) * 8 {
		data := slices.Clone(good)
		data[bit/8] ^= 1 << (bit % 8)
		d, words, err := decodeDelta(data)
		if err == nil && (bit < deltaHeader*8 || !slices.Equal(d.runs, want.runs) || !bytes.Equal(words, wantWords)) {
			t.Errorf("bit %d of byte %d is not noticed", bit%8, bit/8)
		}
	}
}

// What a header declares is not allocated before the frame says the same, and never more than a guest's memory.
func TestDeclaredSizesAreNotAllocated(t *testing.T) {
	t.Parallel()
	good, _ := sampleState()
	large := slices.Clone(good)
	binary.LittleEndian.PutUint32(large[deltaMemory:], uint32(maxMemory))
	binary.LittleEndian.PutUint32(large[deltaPages:], uint32(maxMemory/pageSize))
	binary.LittleEndian.PutUint32(large[deltaBody:], uint32(maxMemory))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 20 {
		if _, _, err := decodeDelta(large); !errors.Is(err, ErrBadState) {
			t.Fatalf("got %v, want ErrBadState", err)
		}
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 512<<20 { // other tests allocate meanwhile; one body would be 1 GB, 20 times
		t.Errorf("%d bytes were allocated", got)
	}
}

func TestOtherEngine(t *testing.T) {
	t.Parallel()
	e := testEngine(t)
	v, state := parkedVM(t, e)
	v.Close()
	other := sealed(t, state.Data, func(h []byte) { h[deltaIdentity+5] ^= 0x10 })
	if _, err := e.Resume(other, state.Counters, noHost{}, testLimits()); !errors.Is(err, ErrOtherEngine) {
		t.Errorf("got %v, want ErrOtherEngine", err)
	}
	small := sealed(t, state.Data, func(h []byte) { binary.LittleEndian.PutUint32(h[deltaMemory:], 2<<20) })
	if _, err := e.Resume(small, state.Counters, noHost{}, testLimits()); !errors.Is(err, ErrBadState) {
		t.Errorf("a memory smaller than the image: got %v, want ErrBadState", err)
	}
}

// bigCell keeps n bytes of random text, which no compression makes small, and waits.
func bigCell(n int) string {
	return fmt.Sprintf(`const bytes = new Uint8Array(%d); let x = 123456789;
for (let i = 0; i < bytes.length; i++) { x ^= x << 13; x ^= x >>> 17; x ^= x << 5; bytes[i] = x; }
await tools.call('a');
let sum = 0; for (let i = 0; i < bytes.length; i += 997) sum += bytes[i];
return [bytes.length, sum > 0];`, n)
}

func TestGrownMemoryIsRestored(t *testing.T) {
	t.Parallel()
	e := testEngine(t)
	v := startVM(t, testLimits())
	mustRun(t, v, bigCell(5<<20))
	if !v.in.mem.grown() {
		t.Fatal("memory has not grown; the test needs a larger cell")
	}
	state, err := v.Suspend(64 << 20)
	if err != nil {
		t.Fatal(err)
	}
	if state.Bytes < 5<<20 || state.Bytes > 6<<20 || len(state.Data) < 5<<20 {
		t.Errorf("state of %d bytes, %d stored; want about 5 MB", state.Bytes, len(state.Data))
	}
	for _, engine := range []*Engine{e, newEachTime(e)} {
		r, err := engine.Resume(state.Data, state.Counters, noHost{}, testLimits())
		if err != nil {
			t.Fatal(err)
		}
		if diff := memoryDifference(r.in.mem, v.in.mem); diff != "" {
			t.Error(diff)
		}
		if turn := mustSettle(t, r, Settlement{ID: 1, Remote: true}); string(turn.Returned) != "[5242880,true]" {
			t.Errorf("returned %s", turn.Returned)
		}
		r.Close()
	}
	limits := testLimits()
	limits.MemoryBytes = 1 << 20
	over := sealed(t, state.Data, func(h []byte) { binary.LittleEndian.PutUint32(h[deltaMemory:], 32<<20) })
	if _, err := e.Resume(over, state.Counters, noHost{}, limits); !errors.Is(err, ErrBadState) {
		t.Errorf("a memory over the run's limit: got %v, want ErrBadState", err)
	}
}

// A state whose checksum was made to fit but whose contents are nonsense may end its run; it may not hurt
// the process or the next VM.
func TestNonsenseStateHurtsNobody(t *testing.T) {
	t.Parallel()
	e := oneAtATime(t, testEngine(t))
	v, state := parkedVM(t, e)
	v.Close()
	rng := rand.New(rand.NewPCG(5, 5))
	size := int(binary.LittleEndian.Uint32(state.Data[deltaBody:]))
	body, err := decompress(state.Data[deltaHeader:], size)
	if err != nil {
		t.Fatal(err)
	}
	for range 40 {
		bad := slices.Clone(body)
		for range 1 + rng.IntN(20) {
			bad[size/4+rng.IntN(size-size/4)] ^= byte(1 + rng.IntN(255))
		}
		data := withBody(bad, binary.LittleEndian.Uint32(state.Data[deltaPages:]), binary.LittleEndian.Uint32(state.Data[deltaMemory:]))
		copy(data[deltaIdentity:], e.identity[:])
		copy(data[deltaSP:], state.Data[deltaSP:deltaSP+4])
		data = sealed(t, data, func([]byte) {})
		r, err := e.Resume(data, state.Counters, noHost{}, testLimits())
		if err != nil {
			continue
		}
		_, _ = r.Settle(Settlement{ID: 1, Remote: true, Value: json.RawMessage(`{"n":1}`)}, soonDeadline()) // anything may come of it
		r.Close()
		if turn, err := runOn(e, "return 6 * 7"); err != nil || string(turn.Returned) != "42" {
			t.Fatalf("the next cell gave %s, %v", turn.Returned, err)
		}
	}
}

func runOn(e *Engine, code string) (Turn, error) {
	v, err := e.Start(noHost{}, testLimits())
	if err != nil {
		return Turn{}, err
	}
	defer v.Close()
	return v.Run(Cell{Code: code}, farDeadline())
}
