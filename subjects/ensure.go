package subjects

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

type duration = time.Duration

// What Ensure returns, wrapped with the stream or consumer at fault.
var (
	// ErrDiffers is returned when something exists with settings that cannot be changed, and which settings.
	ErrDiffers = errors.New("exists with other settings")
	// ErrNotPermitted is returned when the user may not do what is needed.
	ErrNotPermitted = errors.New("not permitted to use JetStream")
	// ErrNoJetStream is returned when the server or the account has no JetStream.
	ErrNoJetStream = errors.New("JetStream is not enabled")
)

const (
	// tryTimeout bounds one attempt: a server that denies a request does not answer it.
	tryTimeout = 3 * time.Second
	// noResponderGrace is how long nobody may answer for JetStream, as happens while servers restart,
	// before it is taken to be switched off.
	noResponderGrace = 5 * time.Second
	firstPause       = 50 * time.Millisecond
	longestPause     = time.Second
)

// Ensure creates every stream, bucket and consumer of design 3, or checks the one that is there and updates
// it. It may run in many workers at once and costs one request for each where nothing is to be done, so a
// worker needs the right to create only where something is missing. What is likely to pass, such as a
// cluster without a leader, is tried again until ctx ends; the error then holds the last failure.
func Ensure(ctx context.Context, js jetstream.JetStream, opts Options) error {
	opts, err := opts.withDefaults()
	if err != nil {
		return fmt.Errorf("ensure streams: %w", err)
	}
	for _, def := range opts.streams() {
		if err := patiently(ctx, js.Conn(), streamObject(js, def).ensure); err != nil {
			return fmt.Errorf("ensure stream %s: %w", def.config.Name, err)
		}
	}
	for _, def := range opts.consumers() {
		if err := patiently(ctx, js.Conn(), consumerObject(js, def).ensure); err != nil {
			return fmt.Errorf("ensure consumer %s of stream %s: %w", def.config.Durable, def.stream, err)
		}
	}
	return nil
}

// EnsureCalls does the same for the bucket of the gateways' call ledger, which not every installation needs.
// Whoever calls it has to be permitted to look at, and where it is missing to create, that bucket alone.
func EnsureCalls(ctx context.Context, js jetstream.JetStream, opts Options) error {
	opts, err := opts.withDefaults()
	if err != nil {
		return fmt.Errorf("ensure call ledger: %w", err)
	}
	if err := patiently(ctx, js.Conn(), streamObject(js, opts.calls()).ensure); err != nil {
		return fmt.Errorf("ensure stream %s: %w", BucketStream(BucketCalls), err)
	}
	return nil
}

// object is a stream or a consumer: C is its configuration.
type object[C any] struct {
	settings       []setting[C]
	initial, want  C
	missing, taken error // what get and create return when it is not there, or is already
	get            func(context.Context) (C, error)
	create, update func(context.Context, C) (C, error)
}

func (o object[C]) ensure(ctx context.Context) error {
	have, err := o.get(ctx)
	if errors.Is(err, o.missing) {
		have, err = o.create(ctx, o.initial)
		if errors.Is(err, o.taken) { // another worker was first
			have, err = o.get(ctx)
		}
	}
	if err != nil {
		return err
	}
	texts, blocked := differences(o.settings, &have, &o.want)
	if len(texts) == 0 {
		return nil
	}
	if blocked {
		return fmt.Errorf("%w: %s", ErrDiffers, strings.Join(texts, "; "))
	}
	got, err := o.update(ctx, have)
	if transient(err) {
		return err
	}
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrDiffers, strings.Join(texts, "; "), err)
	}
	if texts, _ := differences(o.settings, &got, &o.want); len(texts) > 0 {
		return fmt.Errorf("%w: %s: the server did not take the change; is it older than 2.11?", ErrDiffers, strings.Join(texts, "; "))
	}
	return nil
}

func streamObject(js jetstream.JetStream, def streamDef) object[streamConfig] {
	config := func(s jetstream.Stream, err error) (streamConfig, error) {
		if err != nil {
			return streamConfig{}, err
		}
		return s.CachedInfo().Config, nil
	}
	return object[streamConfig]{
		settings: streamSettings, initial: def.initial(), want: def.config,
		missing: jetstream.ErrStreamNotFound, taken: jetstream.ErrStreamNameAlreadyInUse,
		get: func(ctx context.Context) (streamConfig, error) { return config(js.Stream(ctx, def.config.Name)) },
		create: func(ctx context.Context, c streamConfig) (streamConfig, error) {
			return config(js.CreateStream(ctx, c))
		},
		update: func(ctx context.Context, c streamConfig) (streamConfig, error) {
			return config(js.UpdateStream(ctx, c))
		},
	}
}

func consumerObject(js jetstream.JetStream, def consumerDef) object[consumerConfig] {
	config := func(c jetstream.Consumer, err error) (consumerConfig, error) {
		if err != nil {
			return consumerConfig{}, err
		}
		return c.CachedInfo().Config, nil
	}
	return object[consumerConfig]{
		settings: consumerSettings, initial: def.config, want: def.config,
		missing: jetstream.ErrConsumerNotFound, taken: jetstream.ErrConsumerExists,
		get: func(ctx context.Context) (consumerConfig, error) {
			return config(js.Consumer(ctx, def.stream, def.config.Durable))
		},
		create: func(ctx context.Context, c consumerConfig) (consumerConfig, error) {
			return config(js.CreateConsumer(ctx, def.stream, c))
		},
		update: func(ctx context.Context, c consumerConfig) (consumerConfig, error) {
			return config(js.UpdateConsumer(ctx, def.stream, c))
		},
	}
}

// patiently tries f until it succeeds, fails for good, or ctx ends.
func patiently(ctx context.Context, nc *nats.Conn, f func(context.Context) error) error {
	pause := firstPause
	var deafSince time.Time // when the first of the last tries found nobody to answer
	for {
		try, cancel := context.WithTimeout(ctx, tryTimeout)
		err := f(try)
		cancel()
		if err == nil {
			return nil
		}
		if denied := permissionError(nc); denied != nil && noAnswer(err) {
			return fmt.Errorf("%w: %w", ErrNotPermitted, denied)
		}
		if !errors.Is(err, nats.ErrNoResponders) {
			deafSince = time.Time{}
		} else if deafSince.IsZero() {
			deafSince = time.Now()
		}
		switch {
		case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount),
			!deafSince.IsZero() && time.Since(deafSince) > noResponderGrace:
			return fmt.Errorf("%w: %w", ErrNoJetStream, err)
		case !transient(err):
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w; last failure: %w", context.Cause(ctx), err)
		case <-time.After(pause):
			pause = min(2*pause, longestPause)
		}
	}
}

func noAnswer(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout)
}

// Error codes of the server for a cluster that is being formed or has just lost a node.
const (
	codeNoPeers      = 10005
	codeNotAssigned  = 10007
	codeNotAvailable = 10008
	codeNotLeader    = 10009
	codePeerRemap    = 10075
)

// transient reports whether the same request may succeed a little later.
func transient(err error) bool {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		switch api.ErrorCode {
		case codeNoPeers, codeNotAssigned, codeNotAvailable, codeNotLeader, codePeerRemap:
			return true
		}
		return false
	}
	return noAnswer(err) || errors.Is(err, nats.ErrNoResponders) || errors.Is(err, nats.ErrDisconnected) ||
		errors.Is(err, nats.ErrConnectionReconnecting) || errors.Is(err, nats.ErrReconnectBufExceeded)
}

// permissionError gives the last violation the server told the client of, if it was about requests to
// JetStream or their answers. The request itself just times out.
func permissionError(nc *nats.Conn) error {
	err := nc.LastError()
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return nil
	}
	if text := err.Error(); !strings.Contains(text, `"$JS.`) && !strings.Contains(text, `"_INBOX`) {
		return nil
	}
	return err
}
