package otel

import (
	"os"
	"strings"
)

// The standard variables that decide whether a signal is exported at all; the exporters read the rest.
const (
	sdkDisabled     = "OTEL_SDK_DISABLED"
	anyEndpoint     = "OTEL_EXPORTER_OTLP_ENDPOINT"
	tracesExporter  = "OTEL_TRACES_EXPORTER"
	tracesEndpoint  = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	metricsExporter = "OTEL_METRICS_EXPORTER"
	metricsEndpoint = "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"
)

// exports reports whether a signal leaves the process. The standard's own default, OTLP to a collector on
// this machine, would have every worker without a collector send and fail for ever.
func exports(exporter, endpoint string) bool {
	if strings.EqualFold(os.Getenv(sdkDisabled), "true") {
		return false
	}
	switch os.Getenv(exporter) {
	case "":
		return os.Getenv(endpoint) != "" || os.Getenv(anyEndpoint) != ""
	case "none":
		return false
	case "prometheus":
		return false // is always there, on the worker's own endpoint
	}
	return true
}
