package vm

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Deadlines of hostile programs: one that must end by its deadline has a short one.
const (
	ampleTimeout = 50 * time.Second
	tightTimeout = 40 * time.Millisecond
)

// parse reads a program, above which stand lines "//: <key> <value>"; those at the head of a file hold for
// all of its programs:
//
//	want      value <JSON> | throws <first line> | fails <detail> | idle
//	emits     <JSON array of output items>
//	requests  <methods in order>
//	memory, budget, input  bytes, or with K or M: Limits.MemoryBytes, OutputBytes, InputBytes
//	pending   Limits.PendingCalls
//	timeout   milliseconds
//	settle    <id> <JSON>, reject <id> <text>, fire <id>: answers given, one a turn
func (p *program) parse(text string) error {
	text, err := p.settings(text)
	if err != nil {
		return err
	}
	p.code = strings.TrimSpace(text)
	kind, detail, _ := strings.Cut(p.want, " ")
	switch {
	case p.code == "":
		return fmt.Errorf("no code")
	case kind == "idle" && detail == "", (kind == "value" || kind == "throws" || kind == "fails") && detail != "":
	default:
		return fmt.Errorf("unknown outcome %q", p.want)
	}
	if p.timeout == 0 {
		p.timeout = ampleTimeout
		if p.want == "fails timeout" {
			p.timeout = tightTimeout
		}
	}
	return nil
}

// settings takes the lines of settings at the head of text and gives the rest.
func (p *program) settings(text string) (string, error) {
	for strings.HasPrefix(text, "//: ") {
		line, rest, _ := strings.Cut(text, "\n")
		key, value, _ := strings.Cut(strings.TrimPrefix(line, "//: "), " ")
		if err := p.set(key, value); err != nil {
			return "", fmt.Errorf("line %q: %w", line, err)
		}
		text = rest
	}
	return text, nil
}

func (p *program) set(key, value string) (err error) {
	switch key {
	case "want":
		p.want = value
	case "emits":
		p.emits = value
	case "requests":
		p.requests = &value
	case "memory":
		p.limits.MemoryBytes, err = byteCount(value)
	case "budget":
		p.limits.OutputBytes, err = byteCount(value)
	case "input":
		p.limits.InputBytes, err = byteCount(value)
	case "pending":
		p.limits.PendingCalls, err = strconv.Atoi(value)
	case "timeout":
		var ms int
		ms, err = strconv.Atoi(value)
		p.timeout = time.Duration(ms) * time.Millisecond
	case "settle", "reject", "fire":
		idText, rest, _ := strings.Cut(value, " ")
		s := Settlement{Remote: key != "fire", Timer: key == "fire"}
		if key == "settle" {
			s.Value = json.RawMessage(rest)
		} else {
			s.Err = rest
		}
		s.ID, err = strconv.Atoi(idText)
		p.settle = append(p.settle, s)
	default:
		return fmt.Errorf("unknown key")
	}
	return err
}

func byteCount(s string) (int, error) {
	unit := 1
	if rest, ok := strings.CutSuffix(s, "M"); ok {
		s, unit = rest, 1<<20
	} else if rest, ok := strings.CutSuffix(s, "K"); ok {
		s, unit = rest, 1<<10
	}
	n, err := strconv.Atoi(s)
	return n * unit, err
}
