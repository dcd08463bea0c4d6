package vm

import "bytes"

const (
	pageSize     = 4096     // unit of state deltas
	wasmPageSize = 64 << 10 // unit in which linear memory grows
	stackTop     = 1 << 20  // the engine's own stack lies below this address and grows down
	memorySlack  = 8 << 20  // what allocation may cost beyond the guest's heap limit
	maxHeap      = 1 << 30  // largest memoryLimitBytes, contract 2.2
	maxMemory    = uint64(maxHeap + 4*memorySlack)
)

var zeroPage [pageSize]byte

func allPages(pages []uint32, n int) []uint32 {
	for i := range n {
		pages = append(pages, uint32(i))
	}
	return pages
}

// basePage is what page i of a fresh VM holds: beyond the image, zeros.
func (b *base) page(i uint32) []byte {
	if at := int(i) * pageSize; at < len(b.image) {
		return b.image[at : at+pageSize]
	}
	return zeroPage[:]
}

// page is page i of the memory as it is.
func (l *linear) page(i uint32) []byte { return l.whole[int(i)*pageSize : (int(i)+1)*pageSize] }

// bytes is the memory in use.
func (l *linear) bytes() []byte { return l.whole[:l.size:l.size] }

// grown reports whether the memory is larger than the base image.
func (l *linear) grown() bool { return l.size > uint64(len(l.base.image)) }

// setHeapLimit bounds the memory for a guest heap of n bytes.
func (l *linear) setHeapLimit(n int) {
	l.held = 0
	l.limit = min(maxMemory, uint64(len(l.base.image)+n+memorySlack)/wasmPageSize*wasmPageSize)
}

// hold counts n bytes that the host keeps for the guest as its memory. It is false over the limit.
func (l *linear) hold(n int) bool {
	if l.size+l.held+uint64(n) > l.limit {
		return false
	}
	l.held += uint64(n)
	return true
}

func (l *linear) release(n int) { l.held -= uint64(n) }

// reset makes the base part equal to the image again. Pages are compared and copied, not dropped: the
// mapping stays warm, and page faults cost more than the comparison (DESIGN.md, "reset").
func (l *linear) reset(scratch []uint32) []uint32 {
	scratch = l.touched(scratch[:0])
	for _, i := range scratch {
		if want := l.base.page(i); !bytes.Equal(l.page(i), want) {
			copy(l.page(i), want)
		}
	}
	return scratch
}

// clearStack zeroes what calls that have returned left on the engine's stack, down from sp. Only touched
// pages can hold anything.
func (l *linear) clearStack(sp uint32, touched []uint32) {
	for _, i := range touched {
		from := i * pageSize
		if from >= sp || from >= stackTop {
			break
		}
		clear(l.whole[from:min(from+pageSize, sp)])
	}
}

// dirty gives the pages that differ from a fresh VM.
func (l *linear) dirty(touched []uint32) []uint32 {
	var out []uint32
	for _, i := range touched {
		if !bytes.Equal(l.page(i), l.base.page(i)) {
			out = append(out, i)
		}
	}
	for i := uint32(len(l.base.image) / pageSize); uint64(i)*pageSize < l.size; i++ {
		if !bytes.Equal(l.page(i), zeroPage[:]) {
			out = append(out, i)
		}
	}
	return out
}
