package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"

	"codemode/protocol"
)

// Status tells what the pool knows of a parked run: its state is protocol.StateWaiting, with what it waits for and
// when it expires, or protocol.StateUnknown for one that runs, has ended or never was.
func (c *Client) Status(ctx context.Context, runID string) (*protocol.StatusResponse, error) {
	var res protocol.StatusResponse
	if err := c.ask(ctx, protocol.VerbStatus, protocol.StatusRequest{RunID: runID}, &res); err != nil {
		return nil, fmt.Errorf("status of run %s: %w", runID, err)
	}
	return &res, nil
}

// Abort ends a run wherever it is: one that runs replies failed/aborted, a job in the queue will, and a parked one
// is deleted and listed in the answer (protocol 7).
func (c *Client) Abort(ctx context.Context, runID string) (aborted []string, err error) {
	return c.abort(ctx, protocol.AbortRequest{RunID: runID})
}

// AbortSession ends all runs of a session, now and in the queue.
func (c *Client) AbortSession(ctx context.Context, sessionID string) (aborted []string, err error) {
	return c.abort(ctx, protocol.AbortRequest{SessionID: sessionID})
}

func (c *Client) abort(ctx context.Context, req protocol.AbortRequest) ([]string, error) {
	var res protocol.AbortResponse
	if err := c.ask(ctx, protocol.VerbAbort, req, &res); err != nil {
		return nil, fmt.Errorf("abort %s%s: %w", req.RunID, req.SessionID, err)
	}
	return res.Aborted, nil
}

// ask makes one request to the pool's micro service. Without a deadline in ctx it takes up to lookTimeout.
func (c *Client) ask(ctx context.Context, verb protocol.Verb, req, res any) error {
	data, err := protocol.Marshal(req)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInput, err)
	}
	if _, limited := ctx.Deadline(); !limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, lookTimeout)
		defer cancel()
	}
	subject := c.names.Service(verb, c.opt.Tenant)
	msg, err := c.nc.RequestWithContext(ctx, subject, data)
	if errors.Is(err, nats.ErrNoResponders) {
		return fmt.Errorf("%w: %w", ErrNoWorkers, err)
	}
	if err != nil {
		return unanswered(c.nc, err, subject)
	}
	if code := msg.Header.Get("Nats-Service-Error-Code"); code != "" {
		return &ServiceError{Code: code, Text: msg.Header.Get("Nats-Service-Error")}
	}
	if err := json.Unmarshal(msg.Data, res); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return nil
}

// poolAnswers reports whether there may be workers: only "nobody listens" says that there are none.
func (c *Client) poolAnswers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	err := c.ask(ctx, protocol.VerbStatus, protocol.StatusRequest{RunID: "cm_0000000000000000"}, &protocol.StatusResponse{})
	return !errors.Is(err, ErrNoWorkers)
}
