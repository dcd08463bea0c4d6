package natstrace_test

import (
	"context"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/nats-io/nats.go"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"codemode/internal/natstrace"
)

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func TestMain(m *testing.M) {
	otel.SetTextMapPropagator(propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{}))
	os.Exit(m.Run())
}

func traced(t testing.TB) context.Context {
	t.Helper()
	ctx := natstrace.Extract(context.Background(), nats.Header{"traceparent": {parent}, "tracestate": {"a=1"}, "baggage": {"k=v"}})
	if !trace.SpanContextFromContext(ctx).IsValid() {
		t.Fatal("no span context was extracted")
	}
	return ctx
}

func TestInjectWritesLowerCase(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]nats.Header{"no header": nil, "others": {"Nats-Msg-Id": {"x"}, "Traceparent": {"stale"}}} {
		msg := &nats.Msg{Subject: "s", Header: header}
		natstrace.Inject(traced(t), msg)
		want := map[string]string{"traceparent": parent, "tracestate": "a=1", "baggage": "k=v"}
		for key, w := range want {
			if got := msg.Header[key]; len(got) != 1 || got[0] != w {
				t.Errorf("%s: %s is %q, want %q", name, key, got, w)
			}
		}
		if _, stale := msg.Header["Traceparent"]; stale {
			t.Errorf("%s: two spellings: %v", name, slices.Collect(maps.Keys(msg.Header)))
		}
		if name == "others" && msg.Header.Get("Nats-Msg-Id") != "x" {
			t.Errorf("%s: another header is gone: %v", name, msg.Header)
		}
	}
}

func TestInjectOfNothingLeavesTheMessage(t *testing.T) {
	t.Parallel()
	msg := &nats.Msg{}
	natstrace.Inject(context.Background(), msg)
	if msg.Header != nil {
		t.Errorf("headers %v were made for nothing", msg.Header)
	}
}

func TestExtractReadsAnyCase(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"traceparent", "Traceparent", "TRACEPARENT"} {
		ctx := natstrace.Extract(context.Background(), nats.Header{key: {parent}, "Baggage": {"k=v"}})
		sc := trace.SpanContextFromContext(ctx)
		if sc.TraceID().String() != "0af7651916cd43dd8448eb211c80319c" || sc.SpanID().String() != "b7ad6b7169203331" || !sc.IsRemote() {
			t.Errorf("%s: got %+v", key, sc)
		}
		if got := baggage.FromContext(ctx).Member("k").Value(); got != "v" {
			t.Errorf("%s: baggage k is %q", key, got)
		}
	}
}

func TestExtractOfNothing(t *testing.T) {
	t.Parallel()
	for _, h := range []nats.Header{nil, {}, {"traceparent": nil}, {"traceparent": {"junk"}}} {
		if sc := trace.SpanContextFromContext(natstrace.Extract(context.Background(), h)); sc.IsValid() {
			t.Errorf("%v gives %+v", h, sc)
		}
	}
}

func TestCarrier(t *testing.T) {
	t.Parallel()
	c := natstrace.Carrier{"B-B": {"2"}, "B-b": {"3"}, "a": {"1"}, "A": {"0"}}
	for key, want := range map[string]string{"a": "1", "A": "0", "b-b": "2", "c": ""} {
		if got := c.Get(key); got != want {
			t.Errorf("Get(%q) is %q, want %q", key, got, want)
		}
	}
	c.Set("b-B", "x")
	keys := c.Keys()
	slices.Sort(keys)
	if !slices.Equal(keys, []string{"A", "a", "b-b"}) || c.Get("b-b") != "x" {
		t.Errorf("after Set: %v", c)
	}
}

func BenchmarkInjectExtract(b *testing.B) {
	ctx := traced(b)
	b.ReportAllocs()
	for b.Loop() {
		msg := &nats.Msg{}
		natstrace.Inject(ctx, msg)
		natstrace.Extract(ctx, msg.Header)
	}
}

func BenchmarkInjectNothing(b *testing.B) {
	ctx, msg := context.Background(), &nats.Msg{}
	b.ReportAllocs()
	for b.Loop() {
		natstrace.Inject(ctx, msg)
	}
}
