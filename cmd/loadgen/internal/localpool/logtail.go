package localpool

import (
	"bytes"
	"strings"
	"sync"
)

// maxLogLine is how much of a line is kept; a worker may log longer ones.
const maxLogLine = 2 << 10

// logTail takes a process's log: it keeps the last line that holds something and sees a mark go by.
type logTail struct {
	mark   string
	marked chan struct{} // closed at the first line with the mark

	mu       sync.Mutex
	line     []byte // the one that is being written
	lastLine string
	seen     bool
}

func newLogTail(mark string) *logTail {
	return &logTail{mark: mark, marked: make(chan struct{})}
}

// Write never fails.
func (t *logTail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for rest := p; len(rest) > 0; {
		part, after, ended := bytes.Cut(rest, []byte{'\n'})
		if room := maxLogLine - len(t.line); room > 0 {
			t.line = append(t.line, part[:min(room, len(part))]...)
		}
		if ended {
			t.endLocked()
		}
		rest = after
	}
	return len(p), nil
}

func (t *logTail) endLocked() {
	line := string(t.line)
	t.line = t.line[:0]
	if strings.TrimSpace(line) != "" {
		t.lastLine = line
	}
	if !t.seen && strings.Contains(line, t.mark) {
		t.seen = true
		close(t.marked)
	}
}

func (t *logTail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.line) > 0 {
		return string(t.line)
	}
	return t.lastLine
}
