package wasm

// Sub-opcodes behind 0xfc, and their immediates: memory 0.
const (
	subMemoryCopy = 10
	subMemoryFill = 11
)

// bulkPiece is how many bytes a bulk instruction moves between two looks at the fuel; bulkUnit of them
// cost one unit of it.
const (
	bulkPiece     = 256 << 10
	bulkUnitShift = 6
)

// The locals of the functions that stand in for memory.copy and memory.fill.
const (
	localDst = iota
	localSrc // the byte, for memory.fill
	localLen
	localPiece
	localCost
)

// bulk is a pair of functions that stand in for the instructions memory.copy and memory.fill. One such
// instruction can be as long as the memory, and a short loop of them passes few loop headers, so they
// work piece by piece and count down fuel by the bytes. A copy or fill outside the memory traps like the
// instruction, but may have done the pieces before.
type bulk struct {
	typeIndex  uint32 // of both: (i32, i32, i32) -> ()
	copyIndex  uint32
	fillIndex  uint32
	fuel       uint32
	interrupt  uint32
	sawTypes   bool
	sawIndexes bool
}

// types adds the functions' type to the type section.
func (b *bulk) types(r *reader) []byte {
	b.typeIndex = r.uint()
	b.sawTypes = true
	return append(append(appendUint(nil, b.typeIndex+1), r.data[r.pos:]...), 0x60, 3, typeI32, typeI32, typeI32, 0)
}

// functions adds the functions to the function section.
func (b *bulk) functions(r *reader, imported int) []byte {
	n := r.uint()
	b.copyIndex = uint32(imported) + n
	b.fillIndex = b.copyIndex + 1
	b.sawIndexes = true
	out := append(appendUint(nil, n+2), r.data[r.pos:]...)
	return appendUint(appendUint(out, b.typeIndex), b.typeIndex)
}

// call replaces the bulk instruction of that sub-opcode; ok is false for another.
func (b *bulk) call(sub uint32) (code []byte, ok bool) {
	switch sub {
	case subMemoryCopy:
		return appendUint([]byte{opCall}, b.copyIndex), true
	case subMemoryFill:
		return appendUint([]byte{opCall}, b.fillIndex), true
	}
	return nil, false
}

// bodies are the two functions for the code section.
func (b *bulk) bodies() [][]byte {
	up := []byte{
		opLocalGet, localDst, opLocalGet, localPiece, opI32Add, opLocalSet, localDst,
	}
	upBoth := append(up[:len(up):len(up)],
		opLocalGet, localSrc, opLocalGet, localPiece, opI32Add, opLocalSet, localSrc)
	copyAt := func(offset bool) []byte {
		var code []byte
		for _, local := range []byte{localDst, localSrc} {
			code = append(code, opLocalGet, local)
			if offset {
				code = append(code, opLocalGet, localLen, opI32Add)
			}
		}
		return append(code, opLocalGet, localPiece, opPrefixFC, subMemoryCopy, 0, 0)
	}
	// A copy to a higher address goes from the end, since the ranges can overlap; len is then what is left
	// below the piece.
	cp := []byte{opLocalGet, localDst, opLocalGet, localSrc, opI32GtU, opIf, blockVoid}
	cp = append(append(cp, copyAt(true)...), opElse)
	cp = append(append(append(cp, copyAt(false)...), upBoth...), opEnd)

	fill := []byte{opLocalGet, localDst, opLocalGet, localSrc, opLocalGet, localPiece, opPrefixFC, subMemoryFill, 0}
	fill = append(fill, up...)
	return [][]byte{b.body(cp), b.body(fill)}
}

// body makes a function of the code that does one piece:
//
//	loop
//	  piece = min(len, bulkPiece); cost = piece >> bulkUnitShift
//	  if cost > fuel { fuel = 0; if interrupt() { unreachable } } else { fuel -= cost }
//	  len -= piece
//	  code
//	  if len != 0 continue
//	end
func (b *bulk) body(code []byte) []byte {
	out := []byte{1, 2, typeI32, opLoop, blockVoid}
	out = appendInt(append(out, opLocalGet, localLen, opI32Const), bulkPiece)
	out = append(out, opI32LtU, opIf, typeI32, opLocalGet, localLen, opElse)
	out = appendInt(append(out, opI32Const), bulkPiece)
	out = append(out, opEnd, opLocalSet, localPiece)
	out = append(out, opLocalGet, localPiece, opI32Const, bulkUnitShift, opI32ShrU, opLocalTee, localCost)
	out = appendUint(append(out, opGlobalGet), b.fuel)
	out = append(out, opI32GtU, opIf, blockVoid, opI32Const, 0)
	out = appendUint(append(out, opGlobalSet), b.fuel)
	out = appendUint(append(out, opCall), b.interrupt)
	out = append(out, opIf, blockVoid, opUnreachable, opEnd, opElse)
	out = appendUint(append(out, opGlobalGet), b.fuel)
	out = append(out, opLocalGet, localCost, opI32Sub)
	out = appendUint(append(out, opGlobalSet), b.fuel)
	out = append(out, opEnd)
	out = append(out, opLocalGet, localLen, opLocalGet, localPiece, opI32Sub, opLocalSet, localLen)
	out = append(out, code...)
	return append(out, opLocalGet, localLen, opBrIf, 0, opEnd, opEnd)
}
