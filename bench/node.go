package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
)

// measureNode lets Node have its turn, in a process of its own.
func measureNode(ctx context.Context, node, script string, into *sample) error {
	input, err := json.Marshal(thePlan)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, node, script)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("run %s %s: %w (bench/run.sh fetches what it needs)", node, script, err)
	}
	turn := newSample()
	if err := json.Unmarshal(out, turn); err != nil {
		return fmt.Errorf("read what %s measured: %w", script, err)
	}
	into.add(turn)
	return nil
}
