//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package daemon

import (
	"errors"
	"os"
	"syscall"
)

// lock locks an open file until it is closed.
func lock(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errStoreUsed
	}
	return os.NewSyscallError("flock", err)
}
