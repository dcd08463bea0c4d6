// Package gateway is a gateway's side of the wire, for agent runtimes written in Go: it sends cells to the
// worker pool, finds their replies, and answers the tool calls the cells make.
//
// A Client stands on a NATS connection that stays the caller's. Exec and Wait send one job each and give its
// one stored reply; Run drives a cell to its end; Serve answers nested calls with a Handler. What is sent is
// sent again until it is known to be stored, what is missed is looked for in the stream, so that a lost
// connection, a restarted server or a restarted gateway (Attach) costs time and nothing else.
//
// The promise about calls is graded. Without a ledger, a call is executed once in a process for as long as the
// process remembers it. With one (Options.Guard, EnsureLedger) it is executed at most once by all replicas of
// a gateway together, through kills and restarts: a call whose executor died is answered with OutcomeUnknown,
// which the cell can catch, unless its tool may be repeated.
//
//	nc, _ := nats.Connect(url, nats.MaxReconnects(-1), nats.CustomInboxPrefix("_INBOX.acme"))
//	c, err := gateway.New(nc, gateway.Options{Tenant: "acme"})
//	defer c.Close()
//	err = c.Serve(func(ctx context.Context, call *gateway.Call) (any, error) { return lookUp(ctx, call.Input) })
//	ref, err := c.PutCatalog(ctx, protocol.Catalog{Tools: tools})
//	result, err := c.Run(ctx, gateway.Cell{Code: code, CatalogRef: ref})
//
// "protocol 4" and "contract 11.3" name sections of the specification.
package gateway
