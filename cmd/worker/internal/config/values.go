package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"

	"codemode/subjects"
)

// The types of this file read themselves; their errors say what they want.

// ServerURLs is one server or several of a cluster, as nats.Connect takes them.
type ServerURLs struct{ text, shown string }

// UnmarshalText reads a list with commas between.
func (s *ServerURLs) UnmarshalText(text []byte) error {
	var all, shown []string
	for part := range strings.SplitSeq(string(text), ",") {
		part = strings.TrimSpace(part)
		u, err := url.Parse(part)
		if err != nil || u.Host == "" || u.Port() != "" && !portNumber(u.Port()) {
			return errors.New("nats://host:port, or several with commas between")
		}
		switch u.Scheme {
		case "nats", "tls", "ws", "wss":
		default:
			return errors.New("nats://host:port, or several with commas between; tls, ws and wss are the other schemes")
		}
		all, shown = append(all, part), append(shown, u.Redacted())
	}
	s.text, s.shown = strings.Join(all, ","), strings.Join(shown, ",")
	return nil
}

// Connect is the list for nats.Connect. It may hold a password.
func (s ServerURLs) Connect() string { return s.text }

// String is the list without passwords.
func (s ServerURLs) String() string { return s.shown }

// File is the path of a file that can be read.
type File string

// UnmarshalText checks that the file can be opened.
func (f *File) UnmarshalText(text []byte) error {
	file, err := os.Open(string(text))
	if err != nil {
		return fmt.Errorf("a file that can be read: %w", cause(err))
	}
	*f = File(text)
	return file.Close()
}

// cause leaves out what the message says already.
func cause(err error) error {
	if path := (*os.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	return err
}

// Address is "host:port", or Off where that is allowed.
type Address string

// UnmarshalText reads an address.
func (a *Address) UnmarshalText(text []byte) error {
	*a = Address(text)
	if *a == Off {
		return nil
	}
	_, port, err := net.SplitHostPort(string(text))
	if err != nil || !portNumber(port) {
		return errAddress
	}
	return nil
}

var errAddress = errors.New("host:port")

func portNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 16)
	return err == nil
}

// InboxPrefix begins the subjects of answers.
type InboxPrefix string

var inboxForm = regexp.MustCompile(`^_INBOX(\.[A-Za-z0-9_-]{1,64}){0,4}$`)

// UnmarshalText reads a prefix.
func (p *InboxPrefix) UnmarshalText(text []byte) error {
	if !inboxForm.Match(text) {
		return errors.New("_INBOX and up to 4 tokens of A-Za-z0-9_- with dots between")
	}
	*p = InboxPrefix(text)
	return nil
}

// Prefix begins all other subjects.
type Prefix struct{ names subjects.Names }

// UnmarshalText reads a prefix.
func (p *Prefix) UnmarshalText(text []byte) (err error) {
	if p.names, err = subjects.New(string(text)); err != nil {
		return errors.New("up to 128 bytes of tokens of A-Za-z0-9_- with dots between")
	}
	return nil
}

// WorkerID names a worker.
type WorkerID string

var workerForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,128}$`)

// UnmarshalText reads an id.
func (w *WorkerID) UnmarshalText(text []byte) error {
	if !workerForm.Match(text) {
		return errors.New("1 to 128 of A-Za-z0-9._-")
	}
	*w = WorkerID(text)
	return nil
}
