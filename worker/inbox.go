package worker

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
)

// inbox receives the answers to calls of all legs by one subscription. The client's own requests would do,
// but they publish in the goroutine that waits, and calls are to leave in the order in which the cell made
// them (contract 10.2).
type inbox struct {
	nc     *nats.Conn
	prefix string

	mu      sync.Mutex
	next    uint64
	waiting map[string]chan *nats.Msg
}

func newInbox(nc *nats.Conn) (*inbox, *nats.Subscription, error) {
	in := &inbox{nc: nc, prefix: nc.NewInbox() + ".", waiting: map[string]chan *nats.Msg{}}
	sub, err := nc.Subscribe(in.prefix+"*", in.receive)
	if err != nil {
		return nil, nil, fmt.Errorf("subscribe to answers: %w", err)
	}
	return in, sub, nil
}

// receive passes the first answer on; what nobody waits for any more is dropped.
func (in *inbox) receive(msg *nats.Msg) {
	token := strings.TrimPrefix(msg.Subject, in.prefix)
	in.mu.Lock()
	answer := in.waiting[token]
	delete(in.waiting, token)
	in.mu.Unlock()
	if answer != nil {
		answer <- msg
	}
}

// publish sends a request. Its answer comes on the channel unless forget is called before.
func (in *inbox) publish(msg *nats.Msg) (answer <-chan *nats.Msg, forget func(), err error) {
	ch := make(chan *nats.Msg, 1)
	in.mu.Lock()
	in.next++
	token := strconv.FormatUint(in.next, 36)
	in.waiting[token] = ch
	in.mu.Unlock()
	forget = func() {
		in.mu.Lock()
		defer in.mu.Unlock()
		delete(in.waiting, token)
	}
	msg.Reply = in.prefix + token
	if err := in.nc.PublishMsg(msg); err != nil {
		forget()
		return nil, nil, err
	}
	return ch, forget, nil
}

// unanswered reports whether the server says that nobody listens.
func unanswered(msg *nats.Msg) bool { return len(msg.Data) == 0 && msg.Header.Get("Status") == "503" }
