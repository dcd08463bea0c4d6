package worker

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestRedactedCopyKeepsSecretsBack(t *testing.T) {
	t.Parallel()
	in := `[{"name":"exec","parameters":{"properties":{"apiKey":{"default":"k1"},"q":{"default":"plain"}},"authorization":"Bearer b2"}}]`
	got := redactedCopy([]byte(in))
	for _, secret := range []string{"k1", "b2"} {
		if strings.Contains(got, secret) {
			t.Errorf("%s shows %s", got, secret)
		}
	}
	if !strings.Contains(got, "plain") || !json.Valid([]byte(got)) {
		t.Errorf("got %s", got)
	}
}

func TestRedactedCopyIsCapped(t *testing.T) {
	t.Parallel()
	in, err := json.Marshal([]string{strings.Repeat("é", maxPayloadCopy)})
	if err != nil {
		t.Fatal(err)
	}
	if got := redactedCopy(in); len(got) > maxPayloadCopy+len("…") || !strings.HasSuffix(got, "é…") {
		t.Errorf("%d bytes, ends in %q", len(got), got[len(got)-8:])
	}
	if got := redactedCopy([]byte("{")); got != "" {
		t.Errorf("broken JSON gives %q", got)
	}
}
