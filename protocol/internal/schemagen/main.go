// Command schemagen writes a JSON Schema for every message of the wire protocol.
//
// The schemas are made from the Go types of package protocol, their comments and their constants; what a
// type cannot say (patterns, which fields go together) is in fields.go. They describe what a sender should
// send: a worker is more lenient in places the protocol names, and both sides ignore unknown fields.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	source := flag.String("source", ".", "folder of package protocol")
	out := flag.String("out", "", "folder for the schemas")
	flag.Parse()
	if err := write(*source, *out); err != nil {
		fmt.Fprintln(os.Stderr, "schemagen:", err)
		os.Exit(1)
	}
}

func write(source, out string) error {
	files, err := generate(source)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(out, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generate gives the texts of all schemas by file name.
func generate(dir string) (map[string][]byte, error) {
	src, err := readSource(dir)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, m := range messages {
		b := &builder{source: src, fields: fields, types: types}
		doc, err := b.finish(m, m.root(b))
		if err != nil {
			return nil, err
		}
		if files[fileName(m)], err = doc.text(); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func fileName(m message) string { return m.file + ".schema.json" }
