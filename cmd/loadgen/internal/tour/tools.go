package tour

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"codemode/cmd/loadgen/internal/gatewaysim"
	"codemode/protocol"
)

// How long the tools of the first step take.
const (
	weatherTakes = 300 * time.Millisecond
	ratesTake    = 400 * time.Millisecond
	ordersTake   = 500 * time.Millisecond
	toolsTake    = weatherTakes + ratesTake + ordersTake
)

// tools are what the gateway of the tour offers. The slow one is accepted and its result stored; the others
// are answered on the spot (protocol 4).
func (t *tour) tools() []gatewaysim.Tool {
	tool := func(name, description, parameters string, takes time.Duration, value any) gatewaysim.Tool {
		return gatewaysim.Tool{
			Tool: protocol.Tool{
				Source: protocol.SourceOpenClaw, Name: name, Description: description, Parameters: json.RawMessage(parameters),
			},
			Latency: takes,
			Handler: func(context.Context, protocol.Call) (any, error) { return value, nil },
		}
	}
	ask := tool("ask_person", "Asks a person to approve something; may take minutes.",
		`{"type":"object","properties":{"question":{"type":"string"}},"required":["question"]}`, 0, nil)
	ask.Accept, ask.Handler = true, t.desk.ask
	return []gatewaysim.Tool{
		tool("weather", "Weather forecast for a city.",
			`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`, weatherTakes,
			map[string]any{"sky": "clear", "celsius": 21}),
		tool("exchange_rate", "Exchange rate between two currencies.",
			`{"type":"object","properties":{"from":{"type":"string"},"to":{"type":"string"}},"required":["from","to"]}`, ratesTake,
			map[string]any{"rate": 1.25}),
		tool("open_orders", "Open orders of a customer.",
			`{"type":"object","properties":{"customer":{"type":"string"}},"required":["customer"]}`, ordersTake,
			[]map[string]any{{"id": "A-1", "euro": 20}, {"id": "A-2", "euro": 22}}),
		ask,
	}
}

// desk is where the question lies until the tour lets the person answer.
type desk struct {
	answered chan struct{}
	once     sync.Once
}

func newDesk() *desk { return &desk{answered: make(chan struct{})} }

func (d *desk) ask(ctx context.Context, _ protocol.Call) (any, error) {
	select {
	case <-d.answered:
		return map[string]any{"approved": true, "by": "Ada"}, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("nobody is asked any more: %w", ctx.Err())
	}
}

func (d *desk) answer() { d.once.Do(func() { close(d.answered) }) }
