package vm

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"

	"codemode/vm/engine"
	"codemode/vm/wasm"
)

// Names of the globals that the rewritten module has besides its own.
const (
	fuelExport = "codemode_fuel"
	oomExport  = "codemode_oom" // 1 once the engine could not allocate
)

// Options of an Engine. The zero value works: no compilation cache, DefaultIdle idle VMs.
type Options struct {
	// CacheDir keeps compiled code between starts: 0.1 s in place of 0.6 s. "" keeps none.
	CacheDir string
	// Idle is how many clean VMs are kept ready. Defaults to DefaultIdle.
	Idle int
}

// DefaultIdle is the default of Options.Idle.
const DefaultIdle = 16

// Engine is the compiled engine with its base image and idle VMs: one for a process, safe for use by many goroutines.
type Engine struct {
	rt       wazero.Runtime
	cache    wazero.CompilationCache
	code     wazero.CompiledModule
	base     *base
	ids      handles
	sp       uint64
	heapUsed int
	identity [32]byte
	globals  map[string]bool
	pool     *pool
}

// New loads the engine. It fails if the embedded module is not the pinned one, cannot be rewritten or
// compiled, or its base image cannot be made.
func New(ctx context.Context, opt Options) (*Engine, error) {
	e := &Engine{}
	if err := e.load(ctx, opt); err != nil {
		return nil, errors.Join(err, e.Close(ctx))
	}
	return e, nil
}

func (e *Engine) load(ctx context.Context, opt Options) error {
	raw, err := engine.Module()
	if err != nil {
		return err
	}
	rewrite := wasm.Options{InterruptModule: "env", InterruptName: "host_interrupt", FuelExport: fuelExport, MarkFunction: "JS_ThrowOutOfMemory", MarkExport: oomExport}
	mod, err := wasm.Rewrite(raw, rewrite)
	if err != nil {
		return fmt.Errorf("rewrite engine: %w", err)
	}
	config := wazero.NewRuntimeConfigCompiler().WithMemoryLimitPages(uint32(maxMemory / wasmPageSize)).WithDebugInfoEnabled(false)
	if opt.CacheDir != "" {
		if e.cache, err = wazero.NewCompilationCacheWithDir(opt.CacheDir); err != nil {
			return fmt.Errorf("open compilation cache: %w", err)
		}
		config = config.WithCompilationCache(e.cache)
	}
	e.rt = wazero.NewRuntimeWithConfig(ctx, config)
	if err := registerHost(ctx, e.rt); err != nil {
		return err
	}
	if e.code, err = e.rt.CompileModule(ctx, mod.Code); err != nil {
		if opt.CacheDir != "" {
			return fmt.Errorf("compile engine with the cache in %s, which may be damaged: remove it and start again: %w", opt.CacheDir, err)
		}
		return fmt.Errorf("compile engine: %w", err)
	}
	im, err := buildImage(ctx, e.rt, e.code, mod)
	if err != nil {
		return fmt.Errorf("build base image: %w", err)
	}
	if e.base, err = newBase(im.memory); err != nil {
		return err
	}
	e.ids, e.heapUsed, e.sp, e.identity = im.ids, im.heapUsed, im.sp, im.identity(mod.Code)
	e.globals = map[string]bool{}
	for _, name := range im.globals {
		e.globals[name] = true
	}
	idle := opt.Idle
	if idle <= 0 {
		idle = DefaultIdle
	}
	e.pool = newPool(e, idle)
	return nil
}

// Identity names the engine build and base image as hex digits. A state delta can be restored only by an
// engine of the same identity; two builds of the same source have the same one.
func (e *Engine) Identity() string { return hex.EncodeToString(e.identity[:]) }

// Close frees everything. No VM may be in use.
func (e *Engine) Close(ctx context.Context) error {
	var errs []error
	if e.pool != nil {
		errs = append(errs, e.pool.close())
	}
	if e.rt != nil {
		errs = append(errs, e.rt.Close(ctx))
	}
	if e.cache != nil {
		errs = append(errs, e.cache.Close(ctx))
	}
	if e.base != nil {
		errs = append(errs, e.base.close())
	}
	return errors.Join(errs...)
}

// HasGlobal reports whether the guest has a global of this name before any cell has run.
func (e *Engine) HasGlobal(name string) bool { return e.globals[name] }
