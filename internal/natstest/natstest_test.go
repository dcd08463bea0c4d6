package natstest_test

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"codemode/internal/natstest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

func TestServer(t *testing.T) {
	t.Parallel()
	nc := natstest.Connect(t, natstest.Server(t))
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	info, err := js.AccountInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if info.Streams != 0 {
		t.Errorf("a new server has %d streams", info.Streams)
	}
}

func TestClusterSurvivesItsLeader(t *testing.T) {
	t.Parallel()
	c := natstest.Cluster(t, 3)
	js, err := jetstream.New(natstest.Connect(t, c.URLs()))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	if _, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}, Replicas: 3}); err != nil {
		t.Fatal(err)
	}
	publish(ctx, t, js)
	lost := c.Leader("S")
	if lost < 0 {
		t.Fatal("no node leads the stream")
	}
	c.Stop(lost)
	publish(ctx, t, js)
	url := c.URLs()
	c.Start(lost)
	if c.URLs() == url {
		t.Errorf("the node is not back: %s", c.URLs())
	}
	s, err := js.Stream(ctx, "S")
	if err != nil {
		t.Fatal(err)
	}
	if got := s.CachedInfo().State.Msgs; got != 2 {
		t.Errorf("%d messages, want 2", got)
	}
}

// publish tries until the stream has a leader; the message id makes a repeated try harmless.
func publish(ctx context.Context, t *testing.T, js jetstream.JetStream) {
	t.Helper()
	id := jetstream.WithMsgID(time.Now().String())
	for {
		try, cancel := context.WithTimeout(ctx, 2*time.Second)
		_, err := js.Publish(try, "s", nil, id)
		cancel()
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
	}
}
