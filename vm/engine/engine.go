// Package engine holds the JavaScript engine: QuickJS compiled to WebAssembly, a build input that is
// fetched by lock file and never committed.
package engine

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
)

// SHA256 of the module that this version was written and tested against, as hex digits.
const SHA256 = "c0bd8f296e18cf074969f6401b9ecb72609a1323818ec2b9bf7a8f8d740d1363"

// The folder's name is what a build without the module prints.
//
//go:embed run-make-engine-to-fetch-it/quickjs.wasm
var module []byte

// Module gives the engine's WebAssembly module. It fails if the embedded file is not the pinned one.
func Module() ([]byte, error) {
	sum := sha256.Sum256(module)
	if got := hex.EncodeToString(sum[:]); got != SHA256 {
		return nil, fmt.Errorf("embedded quickjs.wasm has SHA-256 %s, want %s: run make engine and build again", got, SHA256)
	}
	return module, nil
}
