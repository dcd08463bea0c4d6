package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"codemode/protocol"
)

// input has the fields of all tools' inputs.
type input struct {
	City   string    `json:"city"`
	Topic  string    `json:"topic"`
	Amount float64   `json:"amount"`
	A      float64   `json:"a"`
	B      float64   `json:"b"`
	List   []float64 `json:"list"`
	Text   string    `json:"text"`
}

// tool is one entry of the catalogue and what it does.
type tool struct {
	about      string
	fields     string // of the input, separated by spaces
	output     string // a JSON Schema, where the tool declares one
	pure       bool   // changes nothing: may be executed any number of times, and needs no ledger
	replaySafe bool   // changes something, and may be repeated
	approval   bool   // a person decides
	takes      time.Duration
	do         func(input) (any, error)
}

const number = `{"type":"number"}`

var tools = map[string]tool{
	"weather": {about: "The temperature in a city now.", fields: "city", pure: true, do: weather,
		output: `{"type":"object","properties":{"city":{"type":"string"},"celsius":{"type":"number"}},"required":["city","celsius"],"additionalProperties":false}`},
	"report": {about: "Writes a report on a topic. Takes a while.", fields: "topic", replaySafe: true, takes: 1500 * time.Millisecond,
		do: report},
	"charge":   {about: "Charges an amount, up to 100.", fields: "amount", do: charge},
	"refund":   {about: "Pays an amount back. A person approves it.", fields: "amount", approval: true, do: paid("refunded")},
	"transfer": {about: "Moves an amount to the reserve. A person approves it.", fields: "amount", approval: true, do: paid("transferred")},
	"audit": {about: "Audits the accounts. Takes a while, and a person approves it.", fields: "topic", approval: true, takes: 200 * time.Millisecond,
		do: func(in input) (any, error) { return "audited " + in.Topic, nil }},

	"add":      arithmetic("The sum of a and b.", func(a, b float64) (float64, error) { return a + b, nil }),
	"subtract": arithmetic("a less b.", func(a, b float64) (float64, error) { return a - b, nil }),
	"multiply": arithmetic("a times b.", func(a, b float64) (float64, error) { return a * b, nil }),
	"divide": arithmetic("a by b.", func(a, b float64) (float64, error) {
		if b == 0 {
			return 0, errors.New("division by zero")
		}
		return a / b, nil
	}),
	"smallest": listed("The smallest number of a list.", func(l []float64) any { return slices.Min(l) }),
	"largest":  listed("The largest number of a list.", func(l []float64) any { return slices.Max(l) }),
	"total":    listed("The sum of a list.", func(l []float64) any { return sum(l) }),
	"mean":     listed("The mean of a list.", func(l []float64) any { return sum(l) / float64(len(l)) }),
	"sort":     listed("A list in order.", func(l []float64) any { slices.Sort(l); return l }),
	"upper":    textual("A text in capital letters.", func(s string) any { return strings.ToUpper(s) }),
	"lower":    textual("A text in small letters.", func(s string) any { return strings.ToLower(s) }),
	"trim":     textual("A text without the space around it.", func(s string) any { return strings.TrimSpace(s) }),
	"words":    textual("The words of a text.", func(s string) any { return strings.Fields(s) }),
	"length":   textual("How many characters a text has.", func(s string) any { return len([]rune(s)) }),
}

func weather(in input) (any, error) {
	celsius, known := map[string]int{"Oslo": 4, "Rome": 18, "Lima": 21}[in.City]
	if !known {
		return nil, fmt.Errorf("no weather of %q", in.City)
	}
	return struct {
		City    string `json:"city"`
		Celsius int    `json:"celsius"`
	}{in.City, celsius}, nil
}

func report(in input) (any, error) {
	return struct {
		Topic string `json:"topic"`
		Pages int    `json:"pages"`
	}{in.Topic, 3}, nil
}

func charge(in input) (any, error) {
	if in.Amount > 100 {
		return nil, errors.New("the limit is 100")
	}
	return map[string]any{"charged": in.Amount}, nil
}

func paid(what string) func(input) (any, error) {
	return func(in input) (any, error) { return map[string]any{what: in.Amount}, nil }
}

func arithmetic(about string, f func(a, b float64) (float64, error)) tool {
	return tool{about: about, fields: "a b", output: number, pure: true, do: func(in input) (any, error) { return f(in.A, in.B) }}
}

func listed(about string, f func([]float64) any) tool {
	return tool{about: about, fields: "list", pure: true, do: func(in input) (any, error) {
		if len(in.List) == 0 {
			return nil, errors.New("the list is empty")
		}
		return f(in.List), nil
	}}
}

func textual(about string, f func(string) any) tool {
	return tool{about: about, fields: "text", pure: true, do: func(in input) (any, error) { return f(in.Text), nil }}
}

func sum(list []float64) (s float64) {
	for _, n := range list {
		s += n
	}
	return s
}

// catalog is the tools as cells see them.
func catalog() protocol.Catalog {
	types := map[string]any{
		"city": schema("string"), "topic": schema("string"), "text": schema("string"), "amount": schema("number"), "a": schema("number"), "b": schema("number"),
		"list": map[string]any{"type": "array", "items": schema("number")},
	}
	var cat protocol.Catalog
	for name, t := range tools {
		properties, required := map[string]any{}, strings.Fields(t.fields)
		for _, f := range required {
			properties[f] = types[f]
		}
		parameters, err := protocol.Marshal(map[string]any{"type": "object", "properties": properties, "required": required})
		if err != nil {
			panic(err) // the table above is wrong
		}
		cat.Tools = append(cat.Tools, protocol.Tool{
			Source: protocol.SourceOpenClaw, Name: name, Description: t.about, Parameters: parameters,
			OutputSchema: json.RawMessage(t.output), ReplaySafe: t.pure || t.replaySafe,
		})
	}
	slices.SortFunc(cat.Tools, func(a, b protocol.Tool) int { return cmp.Compare(a.Name, b.Name) }) // one ref for every process
	return cat
}

func schema(kind string) map[string]any { return map[string]any{"type": kind} }
