package tour

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"codemode/protocol"
)

// screen writes the tour; colours only where they are seen.
type screen struct {
	out io.Writer
	err error // the first of writing; guide ends the tour for it
	// Escape sequences, "" without colours.
	bold, dim, cyan, red, off string
}

func newScreen(out io.Writer) *screen {
	s := &screen{out: out}
	if colourful(out) {
		s.bold, s.dim, s.cyan, s.red, s.off = "\x1b[1m", "\x1b[2m", "\x1b[36m", "\x1b[31m", "\x1b[0m"
	}
	return s
}

// colourful reports whether out is a terminal whose user has nothing against colours.
func colourful(out io.Writer) bool {
	f, ok := out.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" || os.Getenv("TERM") == "" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (s *screen) printf(format string, args ...any) {
	if s.err == nil {
		_, s.err = fmt.Fprintf(s.out, format, args...)
	}
}

func (s *screen) title(name, what string) { s.printf("%s%s%s: %s\n\n", s.bold, name, s.off, what) }

func (s *screen) heading(n int, text string) { s.printf("\n%s%d. %s%s\n\n", s.bold, n, text, s.off) }

func (s *screen) paragraph(text string) { s.printf("\n%s\n", text) }

// say explains what comes.
func (s *screen) say(text string) { s.printf("   %s\n", text) }

// source shows a cell with its line numbers, and marks one line if it is not 0.
func (s *screen) source(code string) {
	for i, line := range lines(code) {
		s.printf("   %s%3d%s  %s%s%s\n", s.dim, i+1, s.off, s.cyan, line, s.off)
	}
	s.printf("\n")
}

// pointAt shows one line of a cell.
func (s *screen) pointAt(code string, line int) {
	text := lines(code)[line-1]
	s.printf("   %s>%3d%s  %s\n\n", s.red, line, s.off, text)
}

func lines(code string) []string { return strings.Split(strings.TrimRight(code, "\n"), "\n") }

// result shows what the model is given; telemetry is left out, since the figures show what is of interest.
func (s *screen) result(res protocol.Result) error {
	text, err := protocol.Marshal(res)
	if err != nil {
		return fmt.Errorf("show result: %w", err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return fmt.Errorf("show result: %w", err)
	}
	s.printf("   result {\n")
	for _, key := range []string{"status", "value", "error", "code", "detail", "runId", "reason", "pendingToolCalls", "output"} {
		if value, ok := fields[key]; ok {
			s.printf("     %q: %s,\n", key, spaced(value))
		}
	}
	s.printf("     %s…telemetry%s\n   }\n\n", s.dim, s.off)
	return nil
}

// spaced puts a space behind each comma and colon of compact JSON, so that it wraps well.
func spaced(compact []byte) string {
	var b strings.Builder
	inString, escaped := false, false
	for _, c := range compact {
		b.WriteByte(c)
		switch {
		case escaped:
			escaped = false
		case inString && c == '\\':
			escaped = true
		case c == '"':
			inString = !inString
		case !inString && (c == ',' || c == ':'):
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// figure shows one measured value.
func (s *screen) figure(name, format string, args ...any) {
	s.printf("   %-24s %s%s%s\n", name, s.bold, fmt.Sprintf(format, args...), s.off)
}

// ms gives a time in milliseconds, precise where it is short.
func ms(d time.Duration) string {
	v := float64(d.Microseconds()) / 1000
	if v < 20 {
		return fmt.Sprintf("%.1f ms", v)
	}
	return fmt.Sprintf("%.0f ms", v)
}

// count groups digits by three.
func count(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
