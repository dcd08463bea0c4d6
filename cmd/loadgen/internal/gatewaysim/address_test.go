package gatewaysim

import (
	"strings"
	"testing"

	"codemode/subjects"
)

func FuzzAddress(f *testing.F) {
	f.Add("cm", "cm_0123456789abcdef", "j1")
	f.Add("a.b", "x", "callValue-1-0a1b2c3d")
	f.Add("", "", "")
	f.Add("no", "dots..", ".")
	f.Fuzz(func(t *testing.T, prefix, run, last string) {
		if gotRun, gotLast := address(prefix + run + last); len(gotRun)+len(gotLast) > len(prefix+run+last) {
			t.Errorf("more than there is: %q, %q", gotRun, gotLast)
		}
		names, err := subjects.New(prefix)
		if err != nil || strings.Contains(run+last, ".") {
			return
		}
		subject := names.Call("t", run, last)
		gotRun, gotLast := address(subject)
		if names.Call("t", gotRun, gotLast) != subject && !strings.Contains(subject, "=") {
			t.Errorf("%s is taken for run %q, %q", subject, gotRun, gotLast)
		}
	})
}

func TestRedact(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"nats://h:1":                        "nats://h:1",
		"nats://u:p@h:1":                    "nats://h:1",
		"u:p@h:1":                           "h:1",
		"nats://u:p@q@h:1, tls://token@g:2": "nats://h:1, tls://g:2",
		"":                                  "",
	} {
		if got := redact(in); got != want {
			t.Errorf("redact(%q) is %q, want %q", in, got, want)
		}
	}
}
