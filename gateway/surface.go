package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"codemode/catalog"
	"codemode/internal/jetpub"
	"codemode/protocol"
	"codemode/subjects"
)

// refreshAfter is when a catalogue that is used again is stored again, well before it expires (7 days).
const refreshAfter = 24 * time.Hour

// SurfaceFor is what a model's tools are made from: the resolved configuration, see protocol.ResolveAgentConfig,
// and the tools that policy has left.
type SurfaceFor struct {
	Config     protocol.Config
	Swarm      protocol.Swarm
	Catalog    protocol.Catalog
	Namespaces []protocol.Namespace
}

// Surface is what a model is given. Where Active is false code mode does not activate, and the gateway's tools stay
// as they are (contract 3.1).
type Surface struct {
	Active     bool
	Tools      []protocol.ToolDefinition // exec, wait, then direct-only tools
	CatalogRef string                    // for Cell.CatalogRef
}

// Surface makes the tool definitions of a model and stores the catalogue behind them. It runs the code that workers
// run for other languages, so that it needs no worker. A catalogue that is not valid is ErrInput.
func (c *Client) Surface(ctx context.Context, s SurfaceFor) (*Surface, error) {
	cat, err := catalog.Build(s.Catalog)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInput, err)
	}
	tools, active, err := catalog.Surface(s.Config, s.Swarm, cat, s.Namespaces)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInput, err)
	}
	if !active {
		return &Surface{}, nil
	}
	ref, err := c.storeCatalog(ctx, s.Catalog)
	if err != nil {
		return nil, err
	}
	return &Surface{Active: true, Tools: tools, CatalogRef: ref}, nil
}

// PutCatalog stores a catalogue once and gives the ref that Cell.CatalogRef takes: equal catalogues have equal refs.
// It is checked first (ErrInput), and must fit one message (ErrTooLarge). Call it before every cell, or at least
// once a day: what was stored lately costs no request.
func (c *Client) PutCatalog(ctx context.Context, cat protocol.Catalog) (ref string, err error) {
	if _, err := catalog.Build(cat); err != nil {
		return "", fmt.Errorf("%w: %w", ErrInput, err)
	}
	return c.storeCatalog(ctx, cat)
}

func (c *Client) storeCatalog(ctx context.Context, cat protocol.Catalog) (string, error) {
	data, err := protocol.Marshal(cat)
	if err != nil {
		return "", fmt.Errorf("%w: encode catalogue: %w", ErrInput, err)
	}
	sum := sha256.Sum256(data)
	ref := hex.EncodeToString(sum[:])
	if c.storedLately(ref) {
		return ref, nil
	}
	if len(data) > int(c.nc.MaxPayload())-protocol.CallReserveBytes {
		return "", fmt.Errorf("%w: catalogue has %d bytes, at most %d", ErrTooLarge, len(data), int(c.nc.MaxPayload())-protocol.CallReserveBytes)
	}
	subject := subjects.KeySubject(subjects.BucketCatalogs, c.names.CatalogKey(c.opt.Tenant, ref))
	_, err = c.publish(ctx, subject, data, jetstream.WithExpectLastSequencePerSubject(0))
	if errors.Is(err, jetpub.ErrConflict) {
		err = c.refreshCatalog(ctx, subject, data)
	}
	if err != nil {
		return "", fmt.Errorf("store catalogue: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refs[ref] = time.Now()
	return ref, nil
}

// refreshCatalog stores a catalogue again that is old, or of which only the mark of its end is there.
func (c *Client) refreshCatalog(ctx context.Context, subject string, data []byte) error {
	msg, err := c.last(ctx, subjects.BucketStream(subjects.BucketCatalogs), subject)
	if err != nil {
		return err
	}
	if msg != nil {
		at, err := time.Parse(time.RFC3339Nano, msg.Header.Get(jetstream.TimeStampHeaer))
		if err == nil && time.Since(at) < refreshAfter {
			return nil
		}
	}
	_, err = c.publish(ctx, subject, data)
	return err
}

func (c *Client) storedLately(ref string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for r, at := range c.refs {
		if time.Since(at) > refreshAfter/2 {
			delete(c.refs, r)
		}
	}
	_, ok := c.refs[ref]
	return ok
}
