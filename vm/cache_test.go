package vm

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDamagedCache: a compilation cache that cannot be read ends the start with an error that names it.
func TestDamagedCache(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e, err := New(context.Background(), Options{CacheDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	files := 0
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files++
		return os.WriteFile(path, []byte("not compiled code"), 0o600)
	})
	if err != nil || files == 0 {
		t.Fatalf("%d files in the cache, %v", files, err)
	}
	if _, err := New(context.Background(), Options{CacheDir: dir}); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("got %v, want an error that names %s", err, dir)
	}
	taken := filepath.Join(dir, "taken")
	if err := os.WriteFile(taken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(context.Background(), Options{CacheDir: taken}); err == nil || !strings.Contains(err.Error(), "compilation cache") {
		t.Errorf("a file in place of the folder: got %v", err)
	}
}
