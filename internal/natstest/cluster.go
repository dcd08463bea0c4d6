package natstest

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"codemode/internal/natsembed"
)

// readyTimeout leaves room for several rounds of an election, of up to 9 s each.
const readyTimeout = 2 * time.Minute

// Nodes is a cluster in one process. Its methods are for the goroutine of the test.
type Nodes struct {
	t       testing.TB
	opts    []*server.Options
	servers []*server.Server // nil where stopped
}

// Cluster starts n nodes that form one JetStream cluster and waits until it has a leader.
func Cluster(t testing.TB, n int) *Nodes {
	t.Helper()
	// The routes must be known before the first node starts, so the cluster ports are chosen up front.
	ports, routes := freePorts(t, n), make([]string, n)
	for i, port := range ports {
		routes[i] = fmt.Sprintf("nats-route://127.0.0.1:%d", port)
	}
	c := &Nodes{t: t, servers: make([]*server.Server, n)}
	for i, port := range ports {
		c.opts = append(c.opts, &server.Options{
			ServerName: "n" + strconv.Itoa(i),
			Host:       "127.0.0.1", Port: server.RANDOM_PORT,
			Cluster:   server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: port, PoolSize: -1},
			Routes:    server.RoutesFromStr(strings.Join(routes, ",")),
			JetStream: true, StoreDir: t.TempDir(), MaxPayload: natsembed.DefaultMaxPayload,
			NoSigs: true, NoLog: true, DisableJetStreamBanner: true,
		})
	}
	t.Cleanup(func() {
		for i := range c.servers {
			c.Stop(i)
		}
	})
	for i := range n {
		c.launch(i)
	}
	c.awaitReady()
	return c
}

// URL of a running node.
func (c *Nodes) URL(i int) string { return c.servers[i].ClientURL() }

// URLs of all running nodes, separated by commas as nats.Connect takes them.
func (c *Nodes) URLs() string {
	var urls []string
	for _, s := range c.servers {
		if s != nil {
			urls = append(urls, s.ClientURL())
		}
	}
	return strings.Join(urls, ",")
}

// Stop shuts a node down and waits; its store stays.
func (c *Nodes) Stop(i int) {
	if s := c.servers[i]; s != nil {
		s.Shutdown()
		s.WaitForShutdown()
		c.servers[i] = nil
	}
}

// Start starts stopped nodes again, on the same client ports and stores, and waits until they have caught up.
func (c *Nodes) Start(nodes ...int) {
	c.t.Helper()
	for _, i := range nodes {
		c.launch(i)
	}
	c.awaitReady()
}

// Leader gives the index of the node that leads a stream of the default account, "" standing for the
// cluster itself, or -1.
func (c *Nodes) Leader(stream string) int {
	for i, s := range c.servers {
		if s == nil {
			continue
		}
		if stream == "" && s.JetStreamIsLeader() || stream != "" && s.JetStreamIsStreamLeader(server.DEFAULT_GLOBAL_ACCOUNT, stream) {
			return i
		}
	}
	return -1
}

func (c *Nodes) launch(i int) {
	c.t.Helper()
	s, err := server.NewServer(c.opts[i].Clone())
	if err != nil {
		c.t.Fatal(err)
	}
	s.Start()
	c.servers[i] = s
	if !s.ReadyForConnections(10 * time.Second) {
		c.t.Fatalf("node %d does not take connections", i)
	}
	c.opts[i].Port = s.Addr().(*net.TCPAddr).Port
}

// awaitReady polls, because the server has no signal for it.
func (c *Nodes) awaitReady() {
	c.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(readyTimeout)
	for !c.ready() {
		select {
		case <-tick.C:
		case <-limit:
			c.t.Fatalf("the cluster has no leader, or not all nodes are current, after %s", readyTimeout)
		}
	}
}

func (c *Nodes) ready() bool {
	for _, s := range c.servers {
		if s != nil && !s.JetStreamIsCurrent() {
			return false
		}
	}
	return c.Leader("") >= 0
}

// freePorts holds all of them until the last is found, so that they differ.
func freePorts(t testing.TB, n int) []int {
	t.Helper()
	ports := make([]int, n)
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports
}
