package main_test

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal gives both ends of a pseudo terminal.
func terminal(t *testing.T) (ours, theirs *os.File) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ours.Close() })
	if err := unix.IoctlSetPointerInt(int(ours.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetUint32(int(ours.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err = os.OpenFile("/dev/pts/"+strconv.Itoa(int(n)), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = theirs.Close() })
	return ours, theirs
}

func TestAPersonIsToldHowToReachTheEmbeddedServer(t *testing.T) {
	t.Parallel()
	ours, theirs := terminal(t)
	addr := free(t)
	cmd := exec.Command(binary, "-embedded")
	cmd.Env = []string{"HOME=" + t.TempDir(), "CODEMODE_CACHE_DIR=" + cacheDir, "CODEMODE_HTTP_ADDR=off", "CODEMODE_EMBEDDED_ADDR=" + addr}
	cmd.Stdout = theirs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(ours).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if want := "codemode is ready. Gateways connect to nats://" + addr + "; Ctrl-C stops it.\r\n"; line != want {
		t.Errorf("got %q, want %q", line, want)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
