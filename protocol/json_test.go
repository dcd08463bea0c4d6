package protocol

import (
	"strings"
	"testing"
)

// Errors of what is read are logged, so that they must not repeat it (contract 16.2).
func TestErrorsRepeatNoValues(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`{"v":1,"runId":"r","jobId":"j","startBy":"planted"}`:  "a time is not in the form of RFC 3339",
		`{"v":99999999999999999999,"runId":"r","jobId":"j"}`:   "v is a number and must be of type int",
		`{"v":1,"runId":"r","jobId":"j","scope":{"sender":7}}`: "scope.sender is a number and must be of type string",
	} {
		_, err := DecodeJob(JobExec, []byte(data))
		fail, ok := err.(*Error)
		if !ok || fail.Cause == nil || !strings.Contains(fail.Cause.Error(), want) {
			t.Errorf("%s: got %v, want a cause with %q", data, err, want)
			continue
		}
		if text := fail.Cause.Error(); strings.Contains(text, "planted") || strings.Contains(text, "999") {
			t.Errorf("%s: the value is in %q", data, text)
		}
	}
}
