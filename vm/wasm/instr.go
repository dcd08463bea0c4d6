package wasm

// Opcodes that the rewriter looks at or writes.
const (
	opUnreachable = 0x00
	opLoop        = 0x03
	opIf          = 0x04
	opElse        = 0x05
	opEnd         = 0x0b
	opBrIf        = 0x0d
	opCall        = 0x10
	opLocalGet    = 0x20
	opLocalSet    = 0x21
	opLocalTee    = 0x22
	opGlobalGet   = 0x23
	opGlobalSet   = 0x24
	opI32Const    = 0x41
	opI32LtU      = 0x49
	opI32GtU      = 0x4b
	opI32Add      = 0x6a
	opI32Sub      = 0x6b
	opI32ShrU     = 0x76
	opPrefixFC    = 0xfc
	blockVoid     = 0x40
	typeI32       = 0x7f
)

// step passes over one instruction and gives its opcode; sub is the one behind 0xfc. It knows the MVP, sign extension, saturating
// conversion, bulk memory and reference types; anything else is an error, since skipping an unknown
// immediate would leave a loop without its check.
func (r *reader) step() (op byte, sub uint32) {
	op = r.byte()
	switch {
	case op == 0x02 || op == opLoop || op == opIf: // block type
		r.int()
	case op == 0x0c || op == opBrIf: // br, br_if
		r.skip(1)
	case op == 0x0e: // br_table
		n := r.uint()
		for i := uint32(0); i <= n && r.err == nil; i++ {
			r.skip(1)
		}
	case op == opCall:
		r.skip(1)
	case op == 0x11: // call_indirect
		r.skip(2)
	case op == 0x1c: // select with types
		r.skip(int(r.uint()))
	case op >= 0x20 && op <= 0x26: // local and global access, table.get, table.set
		r.skip(1)
	case op >= 0x28 && op <= 0x3e: // loads and stores
		r.skip(2)
	case op == 0x3f || op == 0x40: // memory.size, memory.grow
		r.skip(1)
	case op == opI32Const || op == 0x42:
		r.skip(1)
	case op == 0x43:
		r.bytes(4)
	case op == 0x44:
		r.bytes(8)
	case op == 0xd0 || op == 0xd2: // ref.null, ref.func
		r.skip(1)
	case op == opPrefixFC:
		sub = r.stepFC()
	case op <= 0x01, op == opElse, op == opEnd, op == 0x0f, op == 0x1a, op == 0x1b, op >= 0x45 && op <= 0xc4, op == 0xd1:
		// no immediate
	default:
		r.fail("unknown opcode")
	}
	return op, sub
}

func (r *reader) stepFC() uint32 {
	sub := r.uint()
	switch {
	case sub <= 7: // saturating conversions
	case sub == 8 || sub == 10 || sub == 12 || sub == 14: // memory.init, memory.copy, table.init, table.copy
		r.skip(2)
	case sub == 9 || sub == 11 || sub == 13 || sub >= 15 && sub <= 17:
		r.skip(1)
	default:
		r.fail("unknown opcode behind 0xfc")
	}
	return sub
}
