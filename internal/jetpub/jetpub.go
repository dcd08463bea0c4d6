// Package jetpub publishes to JetStream so that a message is stored once and the caller knows it:
// every try has a short limit of its own, is repeated under the same message id while the failure is one
// that passes, and a refusal is told apart from a failure.
package jetpub

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// tryTimeout bounds one try: a publish during a change of leader may get no answer at all.
	tryTimeout = 2 * time.Second
	minBackoff = 20 * time.Millisecond
	maxBackoff = 500 * time.Millisecond
)

// Error codes of JetStream that a caller can act on.
const (
	codeWrongSequence        jetstream.ErrorCode = 10071 // one replica
	codeWrongSequenceReplica jetstream.ErrorCode = 10164 // three replicas
	codeStoreFailed          jetstream.ErrorCode = 10077
	codeNoMessageTTL         jetstream.ErrorCode = 10166
	descPerSubject                               = "maximum messages per subject exceeded"
	descTooLarge                                 = "message too large"
)

var (
	// ErrExists is returned where the subject keeps only its first message and has one.
	ErrExists = errors.New("subject already has a message")
	// ErrConflict is returned where the subject's last message is not the expected one.
	ErrConflict = errors.New("subject has another revision")
	// ErrTooLarge is returned for a message over the limit of the server or the stream.
	ErrTooLarge = errors.New("message is too large to be stored")
	// ErrNoTTL is returned where the stream cannot give a message an expiry.
	ErrNoTTL = errors.New("stream gives messages no expiry")
)

// Publish stores msg and gives its acknowledgement. It tries again until ctx ends; msg should carry a
// message id (jetstream.WithMsgID), or a repeated try can be stored twice.
func Publish(ctx context.Context, js jetstream.JetStream, msg *nats.Msg, opts ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	opts = append(opts, jetstream.WithRetryAttempts(0))
	backoff := minBackoff
	for {
		try, cancel := context.WithTimeout(ctx, tryTimeout)
		ack, err := js.PublishMsg(try, msg, opts...)
		cancel()
		if err == nil {
			return ack, nil
		}
		if permanent := refusal(err); permanent != nil {
			return nil, fmt.Errorf("publish %s: %w", msg.Subject, permanent)
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("publish %s: %w (last try: %w)", msg.Subject, context.Cause(ctx), err)
		case <-time.After(backoff + rand.N(backoff)):
		}
		backoff = min(backoff*2, maxBackoff)
	}
}

// refusal gives the error of a failure that another try would meet again, nil for one that may pass.
func refusal(err error) error {
	if errors.Is(err, nats.ErrMaxPayload) {
		return fmt.Errorf("%w: %w", ErrTooLarge, err)
	}
	if errors.Is(err, nats.ErrConnectionClosed) || errors.Is(err, nats.ErrInvalidMsg) || errors.Is(err, nats.ErrBadSubject) {
		return err
	}
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return nil
	}
	switch api.ErrorCode {
	case codeWrongSequence, codeWrongSequenceReplica:
		return fmt.Errorf("%w: %w", ErrConflict, err)
	case codeNoMessageTTL:
		return fmt.Errorf("%w: %w", ErrNoTTL, err)
	case codeStoreFailed:
		switch api.Description {
		case descPerSubject:
			return fmt.Errorf("%w: %w", ErrExists, err)
		case descTooLarge:
			return fmt.Errorf("%w: %w", ErrTooLarge, err)
		}
		return nil // the stream is full: room may be made
	}
	if api.Code >= 400 && api.Code < 500 {
		return err
	}
	return nil
}
