# codemode: build, try, test. `make` alone lists the targets.
ENGINE := vm/engine/run-make-engine-to-fetch-it/quickjs.wasm
GO     ?= go
NPM    ?= npm
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
FUZZTIME ?= 30s
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: help build engine demo test bench check conformance test262 fuzz clean gateway-kill
help:
	@echo 'make build        bin/worker, bin/loadgen and bin/conformance'
	@echo 'make demo         the tour: two workers, a cell that moves from one to the other'
	@echo 'make test         all tests with the race detector'
	@echo 'make bench        the benchmarks, throughput with a worker process, and the same cells in Node'
	@echo 'make check        formatting, vet, staticcheck, modules'
	@echo 'make conformance  every case against a started worker'
	@echo 'make gateway-kill 1,000 cells while one of two gateways is killed'
	@echo 'make test262 DIR=…  the conformance suite of the language, which you bring (docs/test262.md)'
	@echo 'make fuzz         each fuzz target for FUZZTIME ($(FUZZTIME))'
	@echo 'make engine       fetch the QuickJS module (done by the others where it is missing)'

build: engine
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-X main.version=$(VERSION)' -o bin/ ./cmd/...

# The engine is a build input: fetched by lock file, checked by SHA-256 when a worker starts, never committed.
engine: $(ENGINE)
$(ENGINE): vm/engine/package-lock.json
	cd vm/engine && $(NPM) ci --ignore-scripts --no-audit --no-fund
	mkdir -p $(@D)
	cp vm/engine/node_modules/quickjs-wasi/quickjs.wasm $@

demo: build
	bin/loadgen tour

# The TypeScript compiler checks declaration files in a test of catalog; it is in nothing that is built.
TSC := catalog/testdata/tsc/node_modules
$(TSC): catalog/testdata/tsc/package-lock.json
	cd $(@D) && $(NPM) ci --ignore-scripts --no-audit --no-fund
	touch $@

test: engine $(TSC)
	$(GO) test -race -timeout 8m ./...

bench: build
	$(GO) test -run '^$$' -bench . -benchmem ./...
	bin/loadgen throughput --cells 5000 --concurrency 16
	GO=$(GO) NPM=$(NPM) bench/run.sh

conformance: build
	.ci/conformance

check: engine
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo 'gofmt would change these files'; exit 1; }
	$(GO) vet ./...
	$(GO) mod verify
	$(GO) mod tidy -diff
	$(GO) run $(STATICCHECK) ./...

# One of two gateway processes is killed under load, again and again: no call is executed twice, no run hangs.
gateway-kill: engine
	CODEMODE_GATEWAY_TEST_CELLS=1000 $(GO) test ./gateway -run OneOfTwo -count 1 -v -timeout 15m

test262: engine
	@test -n "$(DIR)" || { echo 'DIR=<folder of test262> is missing'; exit 1; }
	TEST262_DIR=$(abspath $(DIR)) TEST262_OUT=$(abspath test262.out) $(GO) test -run '^TestTest262$$' -v -count=1 -timeout 3h ./vm

fuzz: engine
	.ci/fuzz $(FUZZTIME)

clean:
	rm -rf bin vm/engine/node_modules $(TSC) $(dir $(ENGINE))
