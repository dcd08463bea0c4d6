package vm

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

var sharedEngine = sync.OnceValues(func() (*Engine, error) {
	return New(context.Background(), Options{CacheDir: filepath.Join(os.TempDir(), "codemode-test-cache")})
})

// testEngine gives the one engine of the test process; compiling it takes half a second.
func testEngine(tb testing.TB) *Engine {
	tb.Helper()
	e, err := sharedEngine()
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func testLimits() Limits {
	return Limits{MemoryBytes: 64 << 20, OutputBytes: 64 << 10, PendingCalls: 16, InputBytes: 1 << 20}
}

type noHost struct{}

func (noHost) Load(string, string) (json.RawMessage, error) { return nil, nil }
