package catalog_test

import (
	"encoding/json"
	"fmt"

	"codemode/catalog"
	"codemode/protocol"
)

func Example() {
	c, err := catalog.Build(protocol.Catalog{Tools: []protocol.Tool{
		{Source: protocol.SourceOpenClaw, Name: "exec", Description: "Runs a shell command."},
		{Source: protocol.SourceOpenClaw, Owner: "shop", Name: "order_list", Description: "Lists the orders of a customer.",
			Parameters: json.RawMessage(`{"type":"object","properties":{"customer":{"type":"string"}},"required":["customer"]}`)},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range c.Search("which orders has this customer", 8) {
		fmt.Println(string(e.Compact()))
	}
	_, err = c.Lookup("orders")
	fmt.Println(err)
	// Output:
	// {"id":"openclaw:shop:order_list","source":"openclaw","sourceName":"shop","name":"order_list","description":"Lists the orders of a customer.","input":"{ customer: string; ... }"}
	// Unknown tool id: orders. Did you mean: order_list? Use tools.search to find a tool, tools.describe to inspect it, then tools.call with the exact id or name.
}

func ExampleView_Resolve() {
	c, err := catalog.Decode([]byte(`{"tools":[{"source":"mcp","name":"github__create_issue","mcp":{"serverName":"github","toolName":"create_issue"},
		"parameters":{"properties":{"title":{},"body":{"default":""}},"required":["title"]}}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	view, err := c.ForRun(nil, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	args := catalog.Args{Count: 1, Values: map[int]json.RawMessage{0: json.RawMessage(`{"title":"Bug"}`)}}
	e, input, err := view.Resolve("mcp", []string{"github", "createIssue"}, args)
	fmt.Println(e.ID(), string(input), err)
	_, _, err = view.Resolve("mcp", []string{"github", "createIssue"}, catalog.Args{})
	fmt.Println(err)
	// Output:
	// mcp:github:github__create_issue {"title":"Bug","body":""} <nil>
	// Missing required MCP namespace argument: title
}
