package worker_test

import (
	"testing"

	"github.com/nats-io/nats.go"

	"codemode/internal/natstest"
	"codemode/internal/workertest"
	"codemode/worker"
)

// startWorker runs a worker on a connection of its own until the test ends; change can give it another one.
func startWorker(t testing.TB, url string, change func(*worker.Options)) *worker.Worker {
	t.Helper()
	return workertest.Start(t, natstest.Connect(t, url, nats.CustomInboxPrefix("_INBOX.worker")), change)
}
