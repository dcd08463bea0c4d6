package worker

import (
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"codemode/catalog"
	"codemode/protocol"
	"codemode/subjects"
)

// catalogRefresh is the age at which a catalogue in use is written again, so that no parked run outlives
// its catalogue (design 3).
const catalogRefresh = 24 * time.Hour

// catalogs keeps decoded catalogues by tenant and hash, the least recently used of which go when they are
// over the byte limit. It is safe for use by many goroutines.
type catalogs struct {
	kv    jetstream.KeyValue
	names subjects.Names

	mu    sync.Mutex
	limit int
	size  int
	order *list.List // of *cached, the most recently used first
	byKey map[string]*list.Element

	warming sync.WaitGroup
}

// warmFrom is the number of tools from which the search index is built beside the first run, which then
// need not wait for it: below that it takes a millisecond or two when somebody searches.
const warmFrom = 200

type cached struct {
	key     string
	cat     *catalog.Catalog
	size    int
	written time.Time // in the bucket; zero for an inline catalogue that is not there
}

func newCatalogs(ctx context.Context, js jetstream.JetStream, names subjects.Names, limit int) (*catalogs, error) {
	kv, err := js.KeyValue(ctx, subjects.BucketCatalogs)
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w", subjects.BucketCatalogs, err)
	}
	return &catalogs{kv: kv, names: names, limit: limit, order: list.New(), byKey: map[string]*list.Element{}}, nil
}

// close waits for what is under way. Nothing may be decoded any more.
func (c *catalogs) close() error {
	c.warming.Wait()
	return nil
}

var emptyCatalog = sync.OnceValues(func() (*catalog.Catalog, error) { return catalog.Build(protocol.Catalog{}) })

func (c *catalogs) find(key string) (*cached, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.byKey[key]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(el)
	return el.Value.(*cached), true
}

func (c *catalogs) add(entry *cached) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.byKey[entry.key]; ok {
		c.size -= el.Value.(*cached).size
		c.order.Remove(el)
	}
	c.byKey[entry.key] = c.order.PushFront(entry)
	c.size += entry.size
	for c.size > c.limit && c.order.Len() > 1 {
		last := c.order.Remove(c.order.Back()).(*cached)
		delete(c.byKey, last.key)
		c.size -= last.size
	}
}

var refGrammar = regexp.MustCompile(`^[0-9a-f]{64}$`)

// byRef gives a stored catalogue. One that is not there is protocol.ErrCatalogMissing.
func (c *catalogs) byRef(ctx context.Context, tenant, ref string) (*catalog.Catalog, error) {
	if !refGrammar.MatchString(ref) {
		return nil, protocol.ErrCatalogMissing
	}
	key := c.names.CatalogKey(tenant, ref)
	if hit, ok := c.find(key); ok && time.Since(hit.written) < catalogRefresh {
		return hit.cat, nil
	}
	entry, err := c.kv.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) || errors.Is(err, jetstream.ErrKeyDeleted) {
		return nil, protocol.ErrCatalogMissing
	}
	if err != nil {
		return nil, fmt.Errorf("get catalogue: %w", err)
	}
	if hashOf(entry.Value()) != ref {
		return nil, &protocol.Error{Detail: protocol.DetailInvalidInput, Message: "code mode catalog is invalid: its SHA-256 is not " + ref}
	}
	written := entry.Created()
	if time.Since(written) >= catalogRefresh {
		if _, err := c.kv.Put(ctx, key, entry.Value()); err != nil {
			return nil, fmt.Errorf("refresh catalogue: %w", err)
		}
		written = time.Now()
	}
	return c.decode(key, entry.Value(), written)
}

// inline gives the catalogue of a job that brings its own, and its reference.
func (c *catalogs) inline(tenant string, data []byte) (*catalog.Catalog, string, error) {
	ref := hashOf(data)
	key := c.names.CatalogKey(tenant, ref)
	if hit, ok := c.find(key); ok {
		return hit.cat, ref, nil
	}
	cat, err := c.decode(key, data, time.Time{})
	return cat, ref, err
}

func (c *catalogs) decode(key string, data []byte, written time.Time) (*catalog.Catalog, error) {
	cat, err := catalog.Decode(data)
	if err != nil {
		return nil, err
	}
	c.add(&cached{key: key, cat: cat, size: cat.Bytes(), written: written})
	if cat.Size() >= warmFrom {
		c.warming.Go(cat.Warm)
	}
	return cat, nil
}

// put stores an inline catalogue for a run that parks, unless it is known to be stored.
func (c *catalogs) put(ctx context.Context, tenant, ref string, data []byte) error {
	key := c.names.CatalogKey(tenant, ref)
	hit, ok := c.find(key)
	if ok && time.Since(hit.written) < catalogRefresh {
		return nil
	}
	if _, err := c.kv.Put(ctx, key, data); err != nil {
		return fmt.Errorf("store catalogue: %w", err)
	}
	if ok {
		c.add(&cached{key: key, cat: hit.cat, size: hit.size, written: time.Now()})
	}
	return nil
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// loadJobCatalog gives the catalogue of an exec job.
func (r *run) loadJobCatalog() (*catalog.Catalog, error) {
	src := r.job.Catalog
	switch {
	case src == nil || src.Ref == "" && len(src.Inline) == 0:
		return emptyCatalog()
	case src.Ref != "":
		r.rec.CatalogRef = src.Ref
		return r.w.catalogs.byRef(r.ctx, r.tenant, src.Ref)
	default:
		cat, ref, err := r.w.catalogs.inline(r.tenant, src.Inline)
		r.rec.CatalogRef, r.inline = ref, src.Inline
		return cat, err
	}
}

// loadRecordCatalog gives the catalogue of a parked run.
func (r *run) loadRecordCatalog() (*catalog.Catalog, error) {
	if r.rec.CatalogRef == "" {
		return emptyCatalog()
	}
	return r.w.catalogs.byRef(r.ctx, r.tenant, r.rec.CatalogRef)
}

// storeInlineCatalog puts a job's own catalogue where the workers that resume the run find it.
func (r *run) storeInlineCatalog(ctx context.Context) error {
	if r.inline == nil {
		return nil
	}
	if err := r.w.catalogs.put(ctx, r.tenant, r.rec.CatalogRef, r.inline); err != nil {
		return err
	}
	r.inline = nil
	return nil
}
