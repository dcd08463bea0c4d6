// Package natstrace carries trace context in NATS headers with nothing but the OpenTelemetry API.
//
// NATS headers are case-sensitive and are not canonicalised. Fields are written in lower case, as protocol 3
// has them, and read in any case, because gateways in other languages write them as their libraries do.
package natstrace

import (
	"context"
	"strings"

	"github.com/nats-io/nats.go"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"
)

// Carrier is a propagation.TextMapCarrier over headers. Set needs a non-nil map; see Inject.
type Carrier nats.Header

// Get prefers the exact field over one that differs in case. Where several differ, the one that sorts
// first wins, so that every worker sees the same.
func (c Carrier) Get(key string) string {
	if v, ok := c[key]; ok && len(v) > 0 {
		return v[0]
	}
	var name, value string
	for h, v := range c {
		if len(v) > 0 && strings.EqualFold(h, key) && (name == "" || h < name) {
			name, value = h, v[0]
		}
	}
	return value
}

// Set replaces the field, in lower case, and drops spellings of it that differ in case.
func (c Carrier) Set(key, value string) {
	for h := range c {
		if strings.EqualFold(h, key) {
			delete(c, h)
		}
	}
	c[strings.ToLower(key)] = []string{value}
}

// Keys lists the fields.
func (c Carrier) Keys() []string {
	keys := make([]string, 0, len(c))
	for k := range c {
		keys = append(keys, k)
	}
	return keys
}

// Inject writes the trace context of ctx into the message's headers, with the global propagator. A message
// without headers gets none when there is nothing to write.
func Inject(ctx context.Context, msg *nats.Msg) {
	otel.GetTextMapPropagator().Inject(ctx, injector{msg})
}

// Extract gives ctx the trace context of the headers, which may be nil, with the global propagator.
func Extract(ctx context.Context, header nats.Header) context.Context {
	if len(header) == 0 {
		return ctx
	}
	return otel.GetTextMapPropagator().Extract(ctx, Carrier(header))
}

// injector makes the headers on the first Set.
type injector struct{ msg *nats.Msg }

var _ propagation.TextMapCarrier = injector{}

func (i injector) Get(key string) string { return Carrier(i.msg.Header).Get(key) }

func (i injector) Set(key, value string) {
	if i.msg.Header == nil {
		i.msg.Header = nats.Header{}
	}
	Carrier(i.msg.Header).Set(key, value)
}

func (i injector) Keys() []string { return Carrier(i.msg.Header).Keys() }
