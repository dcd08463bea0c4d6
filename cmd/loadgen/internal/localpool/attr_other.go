//go:build !linux

package localpool

import "syscall"

func processAttr() *syscall.SysProcAttr { return nil }
