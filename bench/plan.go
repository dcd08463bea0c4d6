package main

import (
	_ "embed"
	"maps"
)

//go:embed cells/return.js
var cellReturn string

//go:embed cells/call.js
var cellCall string

//go:embed cells/loop.js
var cellLoop string

//go:embed cells/answer.json
var answer string

// plan is what both sides do; Node reads it as JSON.
type plan struct {
	Cells  map[string]string `json:"cells"`
	Answer string            `json:"answer"` // to the call of cell "call"
	Want   map[string]string `json:"want"`   // JSON text of each cell's value
	Counts map[string]int    `json:"counts"` // how often in one turn
}

var thePlan = plan{
	Cells:  map[string]string{"return": cellReturn, "call": cellCall, "loop": cellLoop},
	Answer: answer,
	Want: map[string]string{
		"return": "2",
		"call":   `{"late":3,"total":445,"names":["Grace","Noor"]}`,
		"loop":   "[423046823,8106,7082]",
	},
	Counts: map[string]int{"return": 200, "call": 200, "loop": 10, "thread": 15, "suspend": 100, "store": 50, "resume": 100, "load": 50},
}

// sample is what one side measured.
type sample struct {
	Times    map[string][]float64 `json:"times"` // in ms
	Bytes    map[string]int       `json:"bytes"`
	Versions map[string]string    `json:"versions"`
}

func newSample() *sample {
	return &sample{Times: map[string][]float64{}, Bytes: map[string]int{}, Versions: map[string]string{}}
}

// add takes in one more turn.
func (s *sample) add(turn *sample) {
	for name, times := range turn.Times {
		s.Times[name] = append(s.Times[name], times...)
	}
	maps.Copy(s.Bytes, turn.Bytes)
	maps.Copy(s.Versions, turn.Versions)
}
