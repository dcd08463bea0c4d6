package protocol

// The JSON Schemas in docs/protocol are made from the types of this package.
//
//go:generate go run ./internal/schemagen -out ../docs/protocol
