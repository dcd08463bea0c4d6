package worker_test

import (
	"context"
	"testing"

	"codemode/conformance"
	"codemode/internal/natstest"
)

// TestConformance plays every committed case over NATS against a started worker.
func TestConformance(t *testing.T) {
	t.Parallel()
	cases, err := conformance.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	url := natstest.Server(t)
	startWorker(t, url, nil)
	outcomes, err := conformance.Run(context.Background(), cases, conformance.Options{Conn: natstest.Connect(t, url), Concurrency: 16})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range outcomes {
		for _, p := range o.Problems {
			t.Errorf("%s: %s", o.Name, p)
		}
	}
}
