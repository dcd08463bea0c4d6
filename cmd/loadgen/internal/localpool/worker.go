package localpool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// readyMark is what a worker logs when it takes jobs.
	readyMark = "msg=ready"
	// readyTimeout is more than compiling the engine takes on a slow machine.
	readyTimeout = 30 * time.Second
	// stopTimeout is what a worker has to hand over its runs before it is killed.
	stopTimeout = 5 * time.Second
)

// Worker is a worker process.
type Worker struct {
	ID  string
	PID int

	cmd            *exec.Cmd
	log            *logTail
	killed, ending atomic.Bool   // ending: killed, or asked to stop
	done           chan struct{} // closed when the process has ended
	exit           error         // set before done is closed
}

// launch starts a worker; lost is called should it end, once it was ready, without having been told to.
func launch(bin, id string, env []string, lost func(error)) (*Worker, error) {
	w := &Worker{ID: id, log: newLogTail(readyMark), done: make(chan struct{})}
	w.cmd = exec.Command(bin)
	w.cmd.Env, w.cmd.Stderr, w.cmd.SysProcAttr = env, w.log, processAttr()
	w.cmd.WaitDelay = time.Second // for a process of the worker's that outlives it and keeps the log open
	if err := w.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start worker %s: %w", id, err)
	}
	w.PID = w.cmd.Process.Pid
	go func() { // ends with the process
		w.exit = w.cmd.Wait()
		close(w.done)
		if w.ready() && !w.ending.Load() { // awaitReady tells of one that never was ready
			lost(fmt.Errorf("%w: %s (%s)%s", ErrLost, w.ID, w.Exit(), w.lastLog()))
		}
	}()
	return w, nil
}

func (w *Worker) awaitReady(ctx context.Context) error {
	limit := time.NewTimer(readyTimeout)
	defer limit.Stop()
	select {
	case <-w.log.marked:
		return nil
	case <-w.done:
		return fmt.Errorf("%w: %s (%s)%s", ErrNotReady, w.ID, w.Exit(), w.lastLog())
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-limit.C:
		return fmt.Errorf("%w: %s has not logged %q within %s%s", ErrNotReady, w.ID, readyMark, readyTimeout, w.lastLog())
	}
}

// ready reports whether the worker has said so.
func (w *Worker) ready() bool {
	select {
	case <-w.log.marked:
		return true
	default:
		return false
	}
}

// Exit says how the process ended. It may be called once that is known: after Kill or Stop.
func (w *Worker) Exit() string {
	if w.exit == nil {
		return "exit status 0"
	}
	return w.exit.Error()
}

// Kill ends the process at once, as the loss of its machine would, and returns when it is gone.
func (w *Worker) Kill() error {
	w.killed.Store(true)
	w.ending.Store(true)
	if err := w.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill worker %s: %w", w.ID, err)
	}
	<-w.done
	return nil
}

// Stop asks the process to end and returns when it has; one that does not is killed, which is an error, and so is
// an end in failure.
func (w *Worker) Stop() error {
	if w.killed.Load() {
		<-w.done
		return nil
	}
	w.ending.Store(true)
	if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return errors.Join(fmt.Errorf("stop worker %s: %w", w.ID, err), w.Kill())
	}
	limit := time.NewTimer(stopTimeout)
	defer limit.Stop()
	select {
	case <-w.done:
	case <-limit.C:
		return errors.Join(fmt.Errorf("worker %s did not stop within %s and was killed", w.ID, stopTimeout), w.Kill())
	}
	if w.exit != nil {
		return fmt.Errorf("worker %s ended badly: %s%s", w.ID, w.Exit(), w.lastLog())
	}
	return nil
}

func (w *Worker) lastLog() string {
	if last := strings.TrimSpace(w.log.last()); last != "" {
		return ": " + last
	}
	return ""
}
