package gateway

const (
	memoryAnswers = 4096
	memoryBytes   = 16 << 20
)

// memory keeps the last answers that went to inboxes, for calls that come again because the worker died before it
// stored what it got. The oldest go first.
type memory struct {
	answers map[string][]byte
	order   []string // from next on a ring
	next    int
	bytes   int
}

func newMemory() memory { return memory{answers: map[string][]byte{}} }

func (m *memory) get(key string) []byte { return m.answers[key] }

func (m *memory) put(key string, answer []byte) {
	if len(answer) > memoryBytes/16 || m.answers[key] != nil {
		return // a large one would cost the memory of many
	}
	for len(m.order)-m.next >= memoryAnswers || m.bytes+len(answer) > memoryBytes {
		oldest := m.order[m.next]
		m.bytes -= len(m.answers[oldest])
		delete(m.answers, oldest)
		m.order[m.next] = ""
		m.next++
	}
	if m.next > memoryAnswers {
		m.order, m.next = append([]string(nil), m.order[m.next:]...), 0
	}
	m.answers[key], m.order, m.bytes = answer, append(m.order, key), m.bytes+len(answer)
}
