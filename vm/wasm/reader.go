package wasm

import (
	"errors"
	"fmt"
)

// ErrMalformed is wrapped by every error about a module that cannot be read.
var ErrMalformed = errors.New("malformed wasm module")

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, args...))
}

// reader walks over bytes and keeps the first error; after one every read gives zero.
type reader struct {
	data []byte
	pos  int
	err  error
}

func (r *reader) fail(what string) {
	if r.err == nil {
		r.err = malformed("%s at offset %d", what, r.pos)
	}
}

func (r *reader) more() bool { return r.err == nil && r.pos < len(r.data) }

func (r *reader) byte() byte {
	if r.err != nil || r.pos >= len(r.data) {
		r.fail("unexpected end")
		return 0
	}
	b := r.data[r.pos]
	r.pos++
	return b
}

// uint reads an unsigned LEB128 number of at most 32 bits.
func (r *reader) uint() uint32 {
	var v uint64
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			if v > 0xffffffff {
				r.fail("number over 32 bits")
				return 0
			}
			return uint32(v)
		}
	}
	r.fail("number too long")
	return 0
}

// int reads a signed LEB128 number of at most 64 bits.
func (r *reader) int() int64 {
	var v int64
	for shift := 0; shift < 70; shift += 7 {
		b := r.byte()
		v |= int64(b&0x7f) << shift
		if b < 0x80 {
			if shift+7 < 64 && b&0x40 != 0 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
	r.fail("number too long")
	return 0
}

func (r *reader) bytes(n int) []byte {
	if r.err != nil || n < 0 || n > len(r.data)-r.pos {
		r.fail("unexpected end")
		return nil
	}
	b := r.data[r.pos : r.pos+n : r.pos+n]
	r.pos += n
	return b
}

func (r *reader) name() string { return string(r.bytes(int(r.uint()))) }

// skip passes over n LEB128 numbers.
func (r *reader) skip(n int) {
	for i := 0; i < n && r.err == nil; i++ {
		r.int()
	}
}

func appendUint(b []byte, v uint32) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

func appendInt(b []byte, v int64) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

func appendName(b []byte, s string) []byte {
	return append(appendUint(b, uint32(len(s))), s...)
}
