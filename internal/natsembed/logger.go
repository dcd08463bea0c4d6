package natsembed

import (
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
)

// logger gives the server's log lines to slog and keeps the last fatal one: the server only logs why it did not start.
type logger struct {
	out   *slog.Logger
	fatal atomic.Pointer[string]
}

func newLogger(out *slog.Logger) *logger {
	if out == nil {
		out = slog.New(slog.DiscardHandler)
	}
	return &logger{out: out.With("component", "nats-server")}
}

// Noticef is at debug level: what a server tells at start is of no interest to whoever runs a worker.
func (l *logger) Noticef(format string, v ...any) { l.out.Debug(fmt.Sprintf(format, v...)) }

// payloadAdvice begins the server's warning about a max_payload that is chosen here on purpose.
const payloadAdvice = "Maximum payloads over"

func (l *logger) Warnf(format string, v ...any) {
	if strings.HasPrefix(format, payloadAdvice) {
		l.Noticef(format, v...)
		return
	}
	l.out.Warn(fmt.Sprintf(format, v...))
}

// Fatalf does not exit, since the process belongs to others.
func (l *logger) Fatalf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	l.fatal.Store(&text)
	l.out.Error(text)
}

func (l *logger) Errorf(format string, v ...any) { l.out.Error(fmt.Sprintf(format, v...)) }

func (l *logger) Debugf(format string, v ...any) { l.out.Debug(fmt.Sprintf(format, v...)) }

func (l *logger) Tracef(format string, v ...any) { l.out.Debug(fmt.Sprintf(format, v...)) }
