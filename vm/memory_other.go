// The tag codemode_portable selects this form on Linux too, for its tests.
//go:build !linux || codemode_portable

package vm

import "slices"

// base is the memory every VM begins with; here each VM gets a copy of it.
type base struct {
	image []byte // read only
}

func newBase(image []byte) (*base, error) { return &base{image: image}, nil }

func (b *base) close() error { return nil }

// linear is the memory of one VM.
type linear struct {
	base  *base
	whole []byte
	size  uint64 // bytes in use
	limit uint64 // bytes it may grow to, with what is held; set for each run
	held  uint64 // bytes the host keeps for the guest
}

func (b *base) allocate() (*linear, error) {
	return &linear{base: b, whole: slices.Clone(b.image), size: uint64(len(b.image)), limit: maxMemory}, nil
}

// Reallocate grows the memory within its limit; it is nil beyond, which the guest sees as a failed memory.grow.
func (l *linear) Reallocate(size uint64) []byte {
	if size+l.held > l.limit {
		return nil
	}
	if n := int(size); n > len(l.whole) {
		l.whole = append(l.whole, make([]byte, n-len(l.whole))...)
		l.size = size
	}
	return l.whole[:size:size]
}

// Free gives the memory back.
func (l *linear) Free() { l.whole = nil }

func (l *linear) touched(pages []uint32) []uint32 { return allPages(pages, len(l.base.image)/pageSize) }
