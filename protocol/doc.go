// Package protocol defines what goes over the wire between gateways and workers: jobs, nested calls,
// replies, events, service requests, and the configuration that travels with a job.
//
// It promises that every message the worker sends has the shape of the protocol text, and that every
// message it reads is checked here, once, before anything else sees it. It imports nothing of the
// project, so that a gateway written in Go can use it alone. "protocol 4" and "contract 5.12" name
// sections of the two specification documents.
package protocol

// Version is the value of the field "v" in every message.
const Version = 1

// EnvelopeBytes is what a reply needs besides its output and value (protocol 5).
const EnvelopeBytes = 256 << 10

// CallReserveBytes is kept free of the payload limit in every call and call result (contract 2.4, protocol 4).
const CallReserveBytes = 8 << 10
