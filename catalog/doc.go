// Package catalog is the tool catalogue of a run (contract 6): which tools a cell can reach, under
// which ids and names, how they are found, described and checked, what MCP servers and namespaces look
// like from guest code, and which tool definitions the model is given.
//
// A Catalog is made once from the wire form and never changes; any number of runs use it at the same
// time. A View is one run's look at it, with the namespaces of that run. Nothing here does I/O, keeps
// time or starts a goroutine, and equal input gives equal bytes on every worker.
//
// The texts of errors from Lookup, Resolve, CompileOutput, ValidateOutput, APIRead and DollarAPI are
// the guest's rejections, word for word. Errors from Decode, Build and ForRun are *protocol.Error and
// end the run before guest code starts.
package catalog
