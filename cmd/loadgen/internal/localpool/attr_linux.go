package localpool

import "syscall"

// processAttr keeps a Ctrl-C at the terminal from the worker, so that it is this process that ends it, and
// has the kernel kill it should this process be killed.
func processAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
