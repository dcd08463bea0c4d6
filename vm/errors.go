package vm

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"codemode/protocol"
)

// maxErrorBytes is where the text of an error is cut (contract 5.13).
const maxErrorBytes = 16384

// thrown takes the engine's pending exception as the outcome of the cell.
func (v *VM) thrown(syntax bool) error {
	raw, err := v.in.call(fnGetException, uint64(v.in.ids.context))
	if err != nil {
		return err
	}
	return v.describe(value(raw), syntax)
}

// dropException takes the engine's pending exception and forgets it, unless it says that memory is exhausted.
func (v *VM) dropException() error {
	saved := v.turn.Thrown
	err := v.thrown(false)
	dropped := v.turn.Thrown
	v.turn.Thrown = saved
	if err == nil && dropped != nil && dropped.Fatal == protocol.ErrMemory {
		return errNoMemory
	}
	return err
}

type thrownFacts struct {
	Text    *string `json:"text"`
	Name    string  `json:"name"`
	Message string  `json:"message"`
	Stack   string  `json:"stack"`
	Sent    bool    `json:"sent"`
}

// describe makes the cell's outcome of a thrown value, which it frees.
func (v *VM) describe(thrown value, syntax bool) error {
	in := v.in
	out, err := in.invoke(in.ids.describe, thrown)
	if err != nil {
		return err
	}
	if err := in.freeValue(thrown); err != nil {
		return err
	}
	if out.tag() == tagException {
		return errNoMemory
	}
	text, err := in.text(out)
	if err != nil {
		return err
	}
	if err := in.freeValue(out); err != nil {
		return err
	}
	var facts thrownFacts
	if err := json.Unmarshal([]byte(text), &facts); err != nil {
		return fmt.Errorf("read thrown error: %w", err)
	}
	v.turn.Thrown = facts.thrown(syntax)
	if noMemory := in.oom.Get() != 0; noMemory && (syntax || thrown == null) || thrown.tag() == tagUninitialized {
		// There was no memory for the error either, or the parser took what it could not allocate for a fault of the text.
		v.turn.Thrown.Fatal, v.turn.Thrown.Syntax = protocol.ErrMemory, false
	}
	return nil
}

var missingLoader = regexp.MustCompile(`^'?(require|module|process)'? is not defined$`)

func (f thrownFacts) thrown(syntax bool) *Thrown {
	t := &Thrown{Syntax: syntax, Sent: f.Sent}
	if f.Text != nil {
		t.Text = cutText(*f.Text)
		return t
	}
	switch {
	case f.Name == "InternalError" && f.Message == "out of memory":
		t.Fatal = protocol.ErrMemory
	case f.Name == "ReferenceError" && missingLoader.MatchString(f.Message):
		t.Fatal = protocol.ErrModuleAccess
	}
	head := f.Name
	if f.Message != "" {
		head += ": " + f.Message
	}
	if head == "" {
		head = "Error"
	}
	t.Text = cutText(strings.Join(append([]string{head}, frames(f.Stack)...), "\n"))
	return t
}

var frameLine = regexp.MustCompile(`^\s+at .`)

// frames gives the stack lines that are the cell's. Those of the controller are cut, with the native
// frames through which it called the cell, as are those of the wrapper, which lies above line 1.
func frames(stack string) []string {
	var out []string
	for _, line := range strings.Split(stack, "\n") {
		switch {
		case strings.Contains(line, "("+controllerFile+":"):
			for len(out) > 0 && strings.HasSuffix(out[len(out)-1], "(native)") {
				out = out[:len(out)-1]
			}
		case frameLine.MatchString(line) && !wrapperFrame.MatchString(line):
			out = append(out, strings.TrimRight(line, " "))
		}
	}
	return out
}

var wrapperFrame = regexp.MustCompile(`cell\.[jt]s:(0|-\d+):\d+\)?$`)

// cutText cuts at the limit of contract 5.13, at a character border.
func cutText(s string) string {
	if len(s) <= maxErrorBytes {
		return s
	}
	cut := maxErrorBytes
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut]
}

func runtimeUnavailable(err error) error {
	return &protocol.Error{Detail: protocol.DetailRuntimeUnavailable, Message: err.Error(), Cause: err}
}
