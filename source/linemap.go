package source

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sort"
)

// LineMap leads from places in transformed code back to the submitted text. The zero value and nil know no place.
//
// Only those places are kept that cannot be told from the one before: where the line or the distance between the columns changes. That is a few bytes
// for each type annotation, since a LineMap travels in the record of a suspended run.
type LineMap struct {
	marks []mark // ordered by line, then column
}

// mark says that from (line, column) on, up to the next mark, the line's columns run along with those of the original. All are 0-based.
type mark struct {
	line, column         int
	origLine, origColumn int
}

// Original gives the submitted place for a place in Prepared.Code, both counted from 1. Lines are exact; columns are as near as the transform tells.
// ok is false for a place outside the code and for one that has no origin, such as a helper function.
func (m *LineMap) Original(line, column int) (origLine, origColumn int, ok bool) {
	if m == nil || line < 1 || column < 1 {
		return 0, 0, false
	}
	line, column = line-1, column-1
	after := sort.Search(len(m.marks), func(i int) bool {
		k := m.marks[i]
		return k.line > line || k.line == line && k.column > column
	})
	if after == 0 {
		return 0, 0, false
	}
	k := m.marks[after-1]
	if k.line != line {
		// Before the first mark of its line there is only indentation; a line without any goes on with what began above.
		if after < len(m.marks) && m.marks[after].line == line {
			k = m.marks[after]
		}
		column = k.column
	}
	return k.origLine + 1, k.origColumn + column - k.column + 1, true
}

// add appends a mark unless the last one already says the same.
func (m *LineMap) add(k mark) {
	if n := len(m.marks); n > 0 {
		last := m.marks[n-1]
		if last.line == k.line && (last.column == k.column || last.origLine == k.origLine && k.column-last.column == k.origColumn-last.origColumn) {
			return
		}
	}
	m.marks = append(m.marks, k)
}

// Bounds of a serialised map. Text has at most maxTransformBytes lines and columns, and helpers come on top.
const (
	lineMapVersion  = 1
	maxLineMapPlace = 1 << 24
)

// ErrLineMap is returned when the bytes of a line map are not what MarshalBinary makes.
var ErrLineMap = errors.New("invalid line map")

// MarshalBinary gives the map in a compact form that UnmarshalLineMap reads: a version, the number of marks, and for each mark four differences as
// variable-length integers. The error is always nil.
func (m *LineMap) MarshalBinary() ([]byte, error) {
	out := []byte{lineMapVersion}
	if m == nil {
		return binary.AppendUvarint(out, 0), nil
	}
	out = binary.AppendUvarint(out, uint64(len(m.marks)))
	last := mark{}
	for _, k := range m.marks {
		if k.line != last.line {
			last.column = 0
		}
		out = binary.AppendUvarint(out, uint64(k.line-last.line))
		out = binary.AppendUvarint(out, uint64(k.column-last.column))
		out = binary.AppendVarint(out, int64(k.origLine-last.origLine))
		out = binary.AppendVarint(out, int64(k.origColumn-last.origColumn))
		last = k
	}
	return out, nil
}

// UnmarshalLineMap reads what MarshalBinary wrote. Anything else is an ErrLineMap.
func UnmarshalLineMap(data []byte) (*LineMap, error) {
	if len(data) == 0 || data[0] != lineMapVersion {
		return nil, fmt.Errorf("%w: unknown version", ErrLineMap)
	}
	data = data[1:]
	count, n := binary.Uvarint(data)
	if n <= 0 || count > uint64(len(data)-n)/4 {
		return nil, fmt.Errorf("%w: %d bytes do not hold its marks", ErrLineMap, len(data))
	}
	data = data[n:]
	m := &LineMap{marks: make([]mark, 0, count)}
	last := mark{line: -1}
	for i := range count {
		k, rest, err := readMark(data, last, i == 0)
		if err != nil {
			return nil, fmt.Errorf("mark %d: %w", i, err)
		}
		m.marks = append(m.marks, k)
		data, last = rest, k
	}
	if len(data) != 0 {
		return nil, fmt.Errorf("%w: %d bytes too many", ErrLineMap, len(data))
	}
	return m, nil
}

func readMark(data []byte, last mark, first bool) (mark, []byte, error) {
	var fields [4]int64
	for i := range fields {
		var n int
		if i < 2 {
			var u uint64
			u, n = binary.Uvarint(data)
			fields[i] = int64(min(u, maxLineMapPlace+1))
		} else {
			fields[i], n = binary.Varint(data)
		}
		if n <= 0 || fields[i] > maxLineMapPlace || fields[i] < -maxLineMapPlace {
			return mark{}, nil, fmt.Errorf("%w: bad number", ErrLineMap)
		}
		data = data[n:]
	}
	if first {
		last = mark{}
	} else if fields[0] == 0 && fields[1] == 0 {
		return mark{}, nil, fmt.Errorf("%w: marks are not in order", ErrLineMap)
	}
	if fields[0] != 0 {
		last.column = 0
	}
	k := mark{last.line + int(fields[0]), last.column + int(fields[1]), last.origLine + int(fields[2]), last.origColumn + int(fields[3])}
	for _, v := range [...]int{k.line, k.column, k.origLine, k.origColumn} {
		if v < 0 || v > maxLineMapPlace {
			return mark{}, nil, fmt.Errorf("%w: place out of range", ErrLineMap)
		}
	}
	return k, data, nil
}

// decodeMappings reads the mappings of a source map (version 3, one source). place turns an output line into a line of the code.
func decodeMappings(mappings string, wrapped bool, place func(line int) (int, bool)) (*LineMap, error) {
	m := &LineMap{}
	var column, origLine, origColumn, line int
	for pos := 0; pos < len(mappings); {
		switch mappings[pos] {
		case ';':
			line, column = line+1, 0
			pos++
			continue
		case ',':
			pos++
			continue
		}
		var fields [5]int
		n := 0
		for ; pos < len(mappings) && mappings[pos] != ',' && mappings[pos] != ';' && n < len(fields); n++ {
			v, used := decodeVLQ(mappings[pos:])
			if used == 0 {
				return nil, fmt.Errorf("%w: source map is damaged at %d", ErrLineMap, pos)
			}
			fields[n] = v
			pos += used
		}
		column += fields[0]
		if n < 4 {
			continue
		}
		origLine += fields[2]
		origColumn += fields[3]
		k := mark{column: column, origLine: origLine, origColumn: origColumn}
		if wrapped {
			k.origLine--
		}
		to, ok := place(line)
		if !ok || k.origLine < 0 {
			continue
		}
		k.line = to
		m.add(k)
	}
	sort.SliceStable(m.marks, func(i, j int) bool { return m.marks[i].line < m.marks[j].line })
	return m, nil
}

// decodeVLQ reads one base-64 variable-length quantity and gives the number of characters it took, 0 if it is damaged.
func decodeVLQ(s string) (value, used int) {
	shift := 0
	for i := 0; i < len(s) && shift < 35; i++ {
		d := base64Digit(s[i])
		if d < 0 {
			return 0, 0
		}
		value |= (d & 31) << shift
		shift += 5
		if d&32 == 0 {
			if value&1 != 0 {
				return -(value >> 1), i + 1
			}
			return value >> 1, i + 1
		}
	}
	return 0, 0
}

func base64Digit(c byte) int {
	switch {
	case c >= 'A' && c <= 'Z':
		return int(c - 'A')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 26
	case c >= '0' && c <= '9':
		return int(c-'0') + 52
	case c == '+':
		return 62
	case c == '/':
		return 63
	}
	return -1
}
