//go:build linux && !codemode_portable

package vm

import (
	"encoding/binary"
	"fmt"
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// base is the memory every VM begins with. On Linux it lives in an anonymous file that each VM maps
// privately, so that a new VM costs page table entries and the pages it writes, not a copy.
type base struct {
	image []byte // read only
	file  int
}

func newBase(image []byte) (*base, error) {
	fd, err := unix.MemfdCreate("codemode-base", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create base image file: %w", err)
	}
	for at := 0; at < len(image); {
		n, err := unix.Pwrite(fd, image[at:], int64(at))
		if err != nil {
			_ = unix.Close(fd)
			return nil, fmt.Errorf("write base image file: %w", err)
		}
		at += n
	}
	return &base{image: image, file: fd}, nil
}

func (b *base) close() error { return unix.Close(b.file) }

// linear is the memory of one VM: a reserved range of addresses whose first part maps the base image.
type linear struct {
	base  *base
	whole []byte // the reserved range
	size  uint64 // bytes in use, a multiple of the wasm page size
	limit uint64 // bytes it may grow to, with what is held; set for each run
	held  uint64 // bytes the host keeps for the guest
}

func (b *base) allocate() (*linear, error) {
	whole, err := unix.Mmap(-1, 0, int(maxMemory), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("reserve %d bytes of address space: %w", maxMemory, err)
	}
	l := &linear{base: b, whole: whole, size: uint64(len(b.image)), limit: maxMemory}
	_, err = unix.MmapPtr(b.file, 0, unsafe.Pointer(unsafe.SliceData(whole)), uintptr(len(b.image)),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED)
	if err != nil {
		l.Free()
		return nil, fmt.Errorf("map base image: %w", err)
	}
	return l, nil
}

// Reallocate grows the memory within its limit; it is nil beyond, which the guest sees as a failed memory.grow.
func (l *linear) Reallocate(size uint64) []byte {
	if size+l.held > l.limit || size > uint64(len(l.whole)) {
		return nil
	}
	if size > l.size {
		if err := unix.Mprotect(l.whole[l.size:size], unix.PROT_READ|unix.PROT_WRITE); err != nil {
			return nil
		}
		l.size = size
	}
	return l.whole[:size:size]
}

// Free gives the address range back.
func (l *linear) Free() {
	if l.whole != nil {
		_ = unix.Munmap(l.whole)
		l.whole = nil
	}
}

const (
	pagemapPresent = 1 << 63
	pagemapSwapped = 1 << 62
	pagemapFile    = 1 << 61
)

var pagemap = sync.OnceValue(func() *os.File {
	if os.Getpagesize() != pageSize {
		return nil
	}
	f, err := os.Open("/proc/self/pagemap")
	if err != nil {
		return nil
	}
	return f
})

// touched appends the indexes of the pages of the base part that have a private copy, which are all that
// can differ from the image. Where the kernel does not tell, that is every page.
func (l *linear) touched(pages []uint32) []uint32 {
	n := len(l.base.image) / pageSize
	f := pagemap()
	if f == nil {
		return allPages(pages, n)
	}
	var buf [16 << 10]byte // one read for the whole image
	first := int64(uintptr(unsafe.Pointer(unsafe.SliceData(l.whole))) / pageSize)
	for at := 0; at < n; at += len(buf) / 8 {
		part := buf[:min(n-at, len(buf)/8)*8]
		if _, err := f.ReadAt(part, (first+int64(at))*8); err != nil {
			return allPages(pages[:0], n)
		}
		for i := 0; i < len(part); i += 8 {
			e := binary.LittleEndian.Uint64(part[i:])
			if e&pagemapSwapped != 0 || e&pagemapPresent != 0 && e&pagemapFile == 0 {
				pages = append(pages, uint32(at+i/8))
			}
		}
	}
	return pages
}
