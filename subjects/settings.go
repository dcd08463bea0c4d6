package subjects

import (
	"cmp"
	"fmt"
	"reflect"

	"github.com/nats-io/nats.go/jetstream"
)

// setting is one field of a configuration of type C that Ensure answers for. Fields without a setting are
// the operator's: placement, compression and the like stay as they are.
type setting[C any] struct {
	name   string // as the server's API calls it
	same   func(have, want *C) bool
	assign func(to, from *C)
	text   func(*C) string
	fixed  bool // never changed here, even where the server would
}

// must is a field that has to have the value.
func must[C, T any](name string, at func(*C) *T) setting[C] {
	return setting[C]{
		name:   name,
		same:   func(have, want *C) bool { return reflect.DeepEqual(*at(have), *at(want)) },
		assign: func(to, from *C) { *at(to) = *at(from) },
		text:   func(c *C) string { return fmt.Sprintf("%+v", reflect.Indirect(reflect.ValueOf(*at(c)))) },
	}
}

// fixed is a must whose change would take the messages away from whoever uses them.
func fixed[C, T any](name string, at func(*C) *T) setting[C] {
	s := must(name, at)
	s.fixed = true
	return s
}

// asked is a must only where it is wanted to be other than zero.
func asked[C any, T comparable](name string, at func(*C) *T) setting[C] {
	s, same := must(name, at), must(name, at).same
	s.same = func(have, want *C) bool {
		var zero T
		return *at(want) == zero || same(have, want)
	}
	return s
}

// atLeast is a field that may be larger.
func atLeast[C any, T cmp.Ordered](name string, at func(*C) *T) setting[C] {
	s := must(name, at)
	s.same = func(have, want *C) bool { return *at(have) >= *at(want) }
	return s
}

type (
	streamConfig   = jetstream.StreamConfig
	consumerConfig = jetstream.ConsumerConfig
)

var streamSettings = []setting[streamConfig]{
	fixed("subjects", func(c *streamConfig) *[]string { return &c.Subjects }),
	must("retention", func(c *streamConfig) *jetstream.RetentionPolicy { return &c.Retention }),
	must("storage", func(c *streamConfig) *jetstream.StorageType { return &c.Storage }),
	asked("num_replicas", func(c *streamConfig) *int { return &c.Replicas }),
	asked("max_bytes", func(c *streamConfig) *int64 { return &c.MaxBytes }),
	must("max_age", func(c *streamConfig) *duration { return &c.MaxAge }),
	must("max_msgs_per_subject", func(c *streamConfig) *int64 { return &c.MaxMsgsPerSubject }),
	must("discard", func(c *streamConfig) *jetstream.DiscardPolicy { return &c.Discard }),
	must("discard_new_per_subject", func(c *streamConfig) *bool { return &c.DiscardNewPerSubject }),
	must("duplicate_window", func(c *streamConfig) *duration { return &c.Duplicates }),
	must("allow_direct", func(c *streamConfig) *bool { return &c.AllowDirect }),
	must("allow_msg_ttl", func(c *streamConfig) *bool { return &c.AllowMsgTTL }),
	must("subject_delete_marker_ttl", func(c *streamConfig) *duration { return &c.SubjectDeleteMarkerTTL }),
	must("republish", func(c *streamConfig) **jetstream.RePublish { return &c.RePublish }),
	must("deny_delete", func(c *streamConfig) *bool { return &c.DenyDelete }),
	must("deny_purge", func(c *streamConfig) *bool { return &c.DenyPurge }),
	must("allow_rollup_hdrs", func(c *streamConfig) *bool { return &c.AllowRollup }),
	must("no_ack", func(c *streamConfig) *bool { return &c.NoAck }),
	must("sealed", func(c *streamConfig) *bool { return &c.Sealed }),
}

var consumerSettings = []setting[consumerConfig]{
	must("deliver_policy", func(c *consumerConfig) *jetstream.DeliverPolicy { return &c.DeliverPolicy }),
	must("ack_policy", func(c *consumerConfig) *jetstream.AckPolicy { return &c.AckPolicy }),
	must("ack_wait", func(c *consumerConfig) *duration { return &c.AckWait }),
	must("backoff", func(c *consumerConfig) *[]duration { return &c.BackOff }), // it would override ack_wait
	must("max_deliver", func(c *consumerConfig) *int { return &c.MaxDeliver }),
	atLeast("max_ack_pending", func(c *consumerConfig) *int { return &c.MaxAckPending }),
	atLeast("max_waiting", func(c *consumerConfig) *int { return &c.MaxWaiting }),
	fixed("filter_subject", func(c *consumerConfig) *string { return &c.FilterSubject }),
	must("headers_only", func(c *consumerConfig) *bool { return &c.HeadersOnly }),
}

// differences compares two configurations and makes have what is wanted, except for fixed fields.
func differences[C any](settings []setting[C], have, want *C) (texts []string, blocked bool) {
	for _, s := range settings {
		if s.same(have, want) {
			continue
		}
		texts = append(texts, fmt.Sprintf("%s is %s, want %s", s.name, s.text(have), s.text(want)))
		if s.fixed {
			blocked = true
			continue
		}
		s.assign(have, want)
	}
	return texts, blocked
}
