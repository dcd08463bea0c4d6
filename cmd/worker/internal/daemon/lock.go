package daemon

import (
	"errors"
	"os"
	"path/filepath"
)

// errStoreUsed is returned by lockStore for a folder that another process has locked.
var errStoreUsed = errors.New("the folder is used by another embedded server")

// lockStore makes the folder and keeps other workers out of it until unlock, or the end of the process: two servers
// that write to one folder destroy what is in it, and the server itself does not look.
func lockStore(dir string) (unlock func() error, err error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, "worker.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file.Close, nil
}
