package daemon

import (
	"context"
	"fmt"
	"os"
	"time"

	"codemode/vm"
)

// startEngine loads the engine, from compiled code where there is a folder for it.
func (d *daemon) startEngine(ctx context.Context) (err error) {
	began := time.Now()
	dir := d.cacheFolder()
	if d.engine, err = vm.New(ctx, vm.Options{CacheDir: dir}); err != nil {
		return fmt.Errorf("the engine cannot be loaded: %w", err)
	}
	d.Log.Info("engine loaded", "took", time.Since(began).Round(time.Millisecond), "cache", dir)
	return nil
}

// cacheFolder is the folder for compiled code, "" where there is none: a worker starts without it too.
func (d *daemon) cacheFolder() string {
	dir := d.Config.CacheDir
	if dir == "" {
		return ""
	}
	if err := probe(dir); err != nil {
		d.Log.Warn("the cache folder cannot be written, so the engine is compiled at every start", "folder", dir,
			"setting", "CODEMODE_CACHE_DIR", "error", systemError(err))
		return ""
	}
	return dir
}

// probe makes the folder, for this user alone, and writes to it.
func probe(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Remove(f.Name())
}
