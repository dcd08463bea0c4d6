// Package engine holds the JavaScript engine: QuickJS compiled to WebAssembly, a build input that is
// fetched by lock file and never committed.
package engine

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
)

// SHA256 of the module that this version was written and tested against, as hex digits.
const SHA256 = "c0bd8f296e18cf074969f6401b9ecb72609a1323818ec2b9bf7a8f8d740d1363"

// ErrModule is returned for a file that is not the pinned module; the text says what to run.
var ErrModule = errors.New("embedded quickjs.wasm is not the pinned one: run make engine and build again")

// The folder's name is what a build without the module prints.
//
//go:embed run-make-engine-to-fetch-it/quickjs.wasm
var module []byte

// Module gives the engine's WebAssembly module, or ErrModule.
func Module() ([]byte, error) {
	if err := check(module); err != nil {
		return nil, err
	}
	return module, nil
}

func check(data []byte) error {
	sum := sha256.Sum256(data)
	if got := hex.EncodeToString(sum[:]); got != SHA256 {
		return fmt.Errorf("%w (SHA-256 is %s, want %s)", ErrModule, got, SHA256)
	}
	return nil
}
