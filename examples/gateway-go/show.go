package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"codemode/gateway"
	"codemode/protocol"
)

// show prints output and value as ../cells/README.md says.
func show(res protocol.Result) error {
	for _, item := range res.Output {
		var o struct {
			Type, Text string
			Value      json.RawMessage
		}
		if err := json.Unmarshal(item, &o); err != nil {
			return err
		}
		if o.Type == "text" {
			fmt.Println(o.Text)
		} else {
			fmt.Println(string(o.Value))
		}
	}
	if res.Status == protocol.StatusFailed {
		return fmt.Errorf("failed: %s: %s", res.Detail, res.Error)
	}
	fmt.Println("=>", string(res.Value))
	return nil
}

// list prints what waits for a person.
func list(ctx context.Context, c *gateway.Client) error {
	waiting, err := c.Approvals(ctx)
	for _, a := range waiting {
		fmt.Printf("%s\t%s\t%s\n", a.Call.CallID, a.Created.Format("15:04:05"), a.Title)
	}
	return err
}

// decide approves or denies the call with the id. It is bound to the input that is stored now.
func decide(ctx context.Context, c *gateway.Client, approve bool, callID, reason string) error {
	waiting, err := c.Approvals(ctx)
	if err != nil {
		return err
	}
	for _, a := range waiting {
		if a.Call.CallID != callID {
			continue
		}
		d := gateway.Decision{RunID: a.Call.RunID, CallID: callID, InputHash: a.InputHash, By: env("USER", "somebody"), Reason: reason}
		if approve {
			d.Execute = execute
		}
		return c.Settle(ctx, d)
	}
	return fmt.Errorf("%s: %w", callID, gateway.ErrNoApproval)
}

func env(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}

func first(args []string) (string, []string) {
	if len(args) == 0 {
		return "", nil
	}
	return args[0], args[1:]
}
