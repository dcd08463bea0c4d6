package otel_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	otelapi "go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"

	"codemode/otel"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// environment sets the variables and clears all others that Setup looks at. Tests that use it, and those that
// look at the process's globals, do not run in parallel.
func environment(t *testing.T, set map[string]string) {
	t.Helper()
	for _, name := range []string{
		"OTEL_SDK_DISABLED", "OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES", "OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER",
		"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
		"OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_TRACES_SAMPLER",
	} {
		t.Setenv(name, set[name])
	}
}

// collector stands for an OTLP collector and counts what it is sent.
type collector struct {
	*httptest.Server
	mu   sync.Mutex
	got  map[string]int    // requests by path
	body map[string][]byte // all bodies by path
}

func newCollector(t *testing.T, status int) *collector {
	t.Helper()
	c := &collector{got: map[string]int{}, body: map[string][]byte{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.got[r.URL.Path]++
		c.body[r.URL.Path] = append(c.body[r.URL.Path], body...)
		w.WriteHeader(status)
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) count(path string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.got[path]
}

// use makes a span and a measurement, and shuts down.
func use(t *testing.T, opts otel.Options) (recorded bool, scraped string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	tel, err := otel.Setup(ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	_, span := tel.TracerProvider().Tracer("test").Start(ctx, "step")
	recorded = span.IsRecording()
	span.End()
	counter, err := tel.MeterProvider().Meter("test").Int64Counter("cells", metric.WithDescription("Cells run."))
	if err != nil {
		t.Fatal(err)
	}
	counter.Add(ctx, 3, metric.WithAttributes(attribute.String("status", "completed")))
	rec := httptest.NewRecorder()
	tel.MetricsHandler().ServeHTTP(rec, httptest.NewRequestWithContext(ctx, "GET", "/metrics", nil))
	if err := tel.Shutdown(ctx); err != nil {
		t.Errorf("shutdown: %v", err)
	}
	if err := tel.Shutdown(ctx); err != nil {
		t.Errorf("second shutdown: %v", err)
	}
	return recorded, rec.Body.String()
}

func TestSetupByDefaultKeepsToItself(t *testing.T) {
	environment(t, nil)
	recorded, scraped := use(t, otel.Options{Version: "1.2.3"})
	if recorded {
		t.Error("spans are recorded although nobody exports them")
	}
	for _, want := range []string{
		`cells_total{`, `status="completed"`, `} 3`, `go_goroutines `, `process_cpu_seconds_total`,
		`service_name="codemode-worker"`, `service_version="1.2.3"`, `# HELP cells_total Cells run.`,
	} {
		if !strings.Contains(scraped, want) {
			t.Errorf("the metrics lack %q:\n%s", want, scraped)
		}
	}
}

func TestSetupExportsWhereAsked(t *testing.T) {
	const traces, metrics = "/v1/traces", "/v1/metrics"
	for name, c := range map[string]struct {
		env             map[string]string // %s is the collector
		traces, metrics int
	}{
		"endpoint":              {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "%s"}, 1, 1},
		"endpoint of traces":    {map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "%s" + traces}, 1, 0},
		"endpoint of metrics":   {map[string]string{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "%s" + metrics}, 0, 1},
		"named":                 {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "%s", "OTEL_TRACES_EXPORTER": "otlp", "OTEL_METRICS_EXPORTER": "otlp"}, 1, 1},
		"none though endpoint":  {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "%s", "OTEL_TRACES_EXPORTER": "none", "OTEL_METRICS_EXPORTER": "none"}, 0, 0},
		"prometheus is ours":    {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "%s", "OTEL_METRICS_EXPORTER": "prometheus"}, 1, 0},
		"disabled":              {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "%s", "OTEL_SDK_DISABLED": "True"}, 0, 0},
		"sampled by variable":   {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "%s", "OTEL_TRACES_SAMPLER": "always_off"}, 0, 1},
		"resource by variables": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "%s", "OTEL_SERVICE_NAME": "mine"}, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			col := newCollector(t, http.StatusOK)
			env := map[string]string{}
			for k, v := range c.env {
				env[k] = strings.ReplaceAll(v, "%s", col.URL)
			}
			environment(t, env)
			_, scraped := use(t, otel.Options{})
			if tr, me := col.count(traces), col.count(metrics); tr != c.traces || me != c.metrics {
				t.Errorf("%d requests with traces and %d with metrics, want %d and %d", tr, me, c.traces, c.metrics)
			}
			if !strings.Contains(scraped, "cells_total") {
				t.Errorf("the metrics cannot be fetched: %s", scraped)
			}
			service := "codemode-worker"
			if n := env["OTEL_SERVICE_NAME"]; n != "" {
				service = n
			}
			if c.metrics > 0 && !bytes.Contains(col.body[metrics], []byte(service)) {
				t.Errorf("the exported resource is not that of %s", service)
			}
		})
	}
}

func TestSetupRefusesUnknownExporters(t *testing.T) {
	for _, name := range []string{"OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER"} {
		environment(t, map[string]string{name: "pigeon"})
		if _, err := otel.Setup(t.Context(), otel.Options{}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want an error that names %s", err, name)
		}
	}
}

func TestSetupLogsFailedExports(t *testing.T) {
	col := newCollector(t, http.StatusBadRequest)
	environment(t, map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": col.URL + "/v1/traces"})
	var out bytes.Buffer
	use(t, otel.Options{Logger: slog.New(slog.NewTextHandler(&out, nil))})
	if !strings.Contains(out.String(), "telemetry failed") {
		t.Errorf("the log says %q", out.String())
	}
}

func TestSetupMakesThePropagatorGlobal(t *testing.T) {
	environment(t, nil)
	tel, err := otel.Setup(t.Context(), otel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tel.Shutdown(context.Background()) }()
	carrier := propagation.MapCarrier{"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "baggage": "k=v"}
	ctx := otelapi.GetTextMapPropagator().Extract(t.Context(), carrier)
	// A span that is not recorded hands its parent's context on.
	ctx, span := otelapi.Tracer("test").Start(ctx, "step")
	defer span.End()
	if got := trace.SpanContextFromContext(ctx).TraceID().String(); got != "0af7651916cd43dd8448eb211c80319c" {
		t.Errorf("trace id %s", got)
	}
	out := propagation.MapCarrier{}
	otelapi.GetTextMapPropagator().Inject(ctx, out)
	if out["traceparent"] != carrier["traceparent"] || out["baggage"] != "k=v" {
		t.Errorf("injected %v", out)
	}
}
