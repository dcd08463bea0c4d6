// Package otel sets up what a process shows of itself: traces and metrics through OpenTelemetry, and the
// HTTP endpoint for metrics and health. Other packages use the OpenTelemetry API alone.
//
// Nothing leaves the process unless the standard variables ask for it: OTEL_TRACES_EXPORTER and
// OTEL_METRICS_EXPORTER, or an OTLP endpoint, which then means "otlp". Metrics can always be fetched.
package otel

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/contrib/exporters/autoexport"
	otelapi "go.opentelemetry.io/otel"
	prometheusexporter "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// DefaultServiceName is the resource's service.name where neither Options nor OTEL_SERVICE_NAME says another.
const DefaultServiceName = "codemode-worker"

// Options of Setup.
type Options struct {
	// ServiceName defaults to DefaultServiceName. OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES go before it.
	ServiceName string
	// Version is the resource's service.version; none where it is empty.
	Version string
	// Logger takes the failures of exporters. Defaults to none.
	Logger *slog.Logger
}

// Telemetry is what Setup made.
type Telemetry struct {
	tracers  trace.TracerProvider
	meters   *sdkmetric.MeterProvider
	registry *prometheus.Registry
	stop     []func(context.Context) error
}

// Setup makes the providers the variables ask for and makes them, the trace-context and baggage propagators
// and an error handler the process's global ones. It is called once, at start. A variable with a value that
// is not known is an error.
func Setup(ctx context.Context, opts Options) (*Telemetry, error) {
	if opts.ServiceName == "" {
		opts.ServiceName = DefaultServiceName
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	res, err := describe(ctx, opts)
	if err != nil {
		return nil, fmt.Errorf("set up telemetry: %w", err)
	}
	t := &Telemetry{tracers: noop.NewTracerProvider(), registry: prometheus.NewRegistry()}
	if err := errors.Join(t.setUpTraces(ctx, res), t.setUpMetrics(ctx, res)); err != nil {
		return nil, errors.Join(fmt.Errorf("set up telemetry: %w", err), t.Shutdown(ctx))
	}
	otelapi.SetErrorHandler(otelapi.ErrorHandlerFunc(func(err error) {
		opts.Logger.Warn("telemetry failed", "err", err)
	}))
	otelapi.SetTextMapPropagator(propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{}))
	otelapi.SetTracerProvider(t.tracers)
	otelapi.SetMeterProvider(t.meters)
	return t, nil
}

// TracerProvider is the global one. Without an exporter its spans are not recorded and cost nothing, but
// still hand on the trace context they were given.
func (t *Telemetry) TracerProvider() trace.TracerProvider { return t.tracers }

// MeterProvider is the global one.
func (t *Telemetry) MeterProvider() metric.MeterProvider { return t.meters }

// MetricsHandler serves all metrics, with those of the process and the Go runtime, to Prometheus.
func (t *Telemetry) MetricsHandler() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

// Shutdown exports what is left, within ctx, and stops the exporters.
func (t *Telemetry) Shutdown(ctx context.Context) error {
	var errs []error
	for _, stop := range t.stop {
		errs = append(errs, stop(ctx))
	}
	t.stop = nil
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("shut down telemetry: %w", err)
	}
	return nil
}

func (t *Telemetry) setUpTraces(ctx context.Context, res *resource.Resource) error {
	if !exports(tracesExporter, tracesEndpoint) {
		return nil
	}
	exporter, err := autoexport.NewSpanExporter(ctx)
	if err != nil {
		return fmt.Errorf("%s is %q: %w", tracesExporter, os.Getenv(tracesExporter), err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(res))
	t.tracers = provider
	t.stop = append(t.stop, provider.Shutdown)
	return nil
}

func (t *Telemetry) setUpMetrics(ctx context.Context, res *resource.Resource) error {
	err := errors.Join(
		t.registry.Register(collectors.NewGoCollector()),
		t.registry.Register(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})),
	)
	if err != nil {
		return fmt.Errorf("register process metrics: %w", err)
	}
	scraped, err := prometheusexporter.New(prometheusexporter.WithRegisterer(t.registry))
	if err != nil {
		return fmt.Errorf("prometheus exporter: %w", err)
	}
	options := []sdkmetric.Option{sdkmetric.WithResource(res), sdkmetric.WithReader(scraped)}
	if exports(metricsExporter, metricsEndpoint) {
		pushed, err := autoexport.NewMetricReader(ctx)
		if err != nil {
			return fmt.Errorf("%s is %q: %w", metricsExporter, os.Getenv(metricsExporter), err)
		}
		options = append(options, sdkmetric.WithReader(pushed))
	}
	t.meters = sdkmetric.NewMeterProvider(options...)
	t.stop = append(t.stop, t.meters.Shutdown)
	return nil
}

func describe(ctx context.Context, opts Options) (*resource.Resource, error) {
	attrs := []resource.Option{resource.WithTelemetrySDK(), resource.WithHost(), resource.WithAttributes(semconv.ServiceName(opts.ServiceName))}
	if opts.Version != "" {
		attrs = append(attrs, resource.WithAttributes(semconv.ServiceVersion(opts.Version)))
	}
	res, err := resource.New(ctx, append(attrs, resource.WithFromEnv())...) // the last one wins
	if err != nil {
		return nil, fmt.Errorf("describe the process: %w", err)
	}
	return res, nil
}
