package conformance

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// gateway holds the subscriptions that all cases share and hands each message
// to the case whose run it is of.
type gateway struct {
	conn   *nats.Conn
	js     jetstream.JetStream
	tenant string
	prefix string
	subs   []*nats.Subscription

	mu   sync.Mutex
	runs map[string]*caseRun // by runId

	// A pool that never answers is given up on sooner, see caseRun.receive.
	answered, silent atomic.Int64
}

func startGateway(ctx context.Context, opts Options) (*gateway, error) {
	js, err := jetstream.New(opts.Conn)
	if err != nil {
		return nil, fmt.Errorf("use JetStream: %w", err)
	}
	g := &gateway{conn: opts.Conn, js: js, tenant: opts.Tenant, prefix: opts.Prefix, runs: map[string]*caseRun{}}
	skip := strings.Count(g.subject("run"), ".") + 1
	for _, s := range []struct {
		subject string
		take    func(r *caseRun, m *nats.Msg, tokens []string) // from the runId on
	}{
		{g.subject("run", "*", "call", "*"), func(r *caseRun, m *nats.Msg, t []string) { r.onCall(m, t[0], t[2]) }},
		{g.subject("run", "*", "reply", "*"), func(r *caseRun, m *nats.Msg, t []string) { r.onReply(m.Data, t[0], t[2]) }},
		{g.subject("event", "*", "*"), func(r *caseRun, m *nats.Msg, t []string) { r.onEvent(m.Data, t[0], t[1]) }},
	} {
		sub, err := opts.Conn.Subscribe(s.subject, func(m *nats.Msg) {
			tokens := strings.Split(m.Subject, ".")[skip:]
			if r := g.run(tokens[0]); r != nil {
				s.take(r, m, tokens)
			}
		})
		if err != nil {
			g.stop()
			return nil, fmt.Errorf("subscribe: %w", err)
		}
		g.subs = append(g.subs, sub)
	}
	// The server must know the subscriptions before the first job is out.
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := opts.Conn.FlushWithContext(ctx); err != nil {
		g.stop()
		return nil, fmt.Errorf("subscribe: %w", err)
	}
	return g, nil
}

func (g *gateway) stop() {
	for _, s := range g.subs {
		_ = s.Unsubscribe() // fails only on a closed connection, which has none
	}
}

// subject is <prefix>.<word>.<tenant> and, separated by dots, the tokens.
func (g *gateway) subject(word string, tokens ...string) string {
	return strings.Join(append([]string{g.prefix, word, g.tenant}, tokens...), ".")
}

func (g *gateway) run(runID string) *caseRun {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.runs[runID]
}

func (g *gateway) add(runID string, r *caseRun) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.runs[runID] = r
}

func (g *gateway) forget(runIDs []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, id := range runIDs {
		delete(g.runs, id)
	}
}

// publish stores a message. It repeats what is not acknowledged under the same
// message id, as a gateway does.
func (g *gateway) publish(ctx context.Context, subject string, data []byte, msgID string) error {
	var opts []jetstream.PublishOpt
	if msgID != "" {
		opts = append(opts, jetstream.WithMsgID(msgID))
	}
	var err error
	for range 3 {
		once, cancel := context.WithTimeout(ctx, 3*time.Second)
		_, err = g.js.Publish(once, subject, data, opts...)
		cancel()
		if err == nil {
			return nil
		}
		if pause(ctx, 200*time.Millisecond) != nil {
			break
		}
	}
	return fmt.Errorf("publish %s: %w", subject, err)
}

// ask sends a request to a verb of the service.
func (g *gateway) ask(ctx context.Context, verb string, body *object, patience time.Duration) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	m, err := g.conn.RequestWithContext(ctx, g.prefix+".svc."+verb+"."+g.tenant, []byte(encode(body)))
	if err != nil {
		return nil, fmt.Errorf("ask service for %s: %w", verb, err)
	}
	v, err := decode(m.Data)
	if err != nil {
		return nil, fmt.Errorf("answer of service to %s: %w", verb, err)
	}
	return v, nil
}

// storeCatalog puts a catalogue into the bucket and returns its ref.
func (g *gateway) storeCatalog(ctx context.Context, catalog any) (string, error) {
	text, err := canonical(catalog)
	if err != nil {
		return "", fmt.Errorf("store catalogue: %w", err)
	}
	ref := sha256Hex(text)
	return ref, g.publish(ctx, "$KV.CM_CATALOGS."+g.tenant+"."+ref, text, "")
}

// pause waits, but not longer than ctx lives.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
