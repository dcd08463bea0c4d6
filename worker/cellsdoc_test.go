package worker_test

import (
	"encoding/json"
	"os"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"

	"codemode/internal/natstest"
	"codemode/protocol"
)

// example is a fenced cell of the author's guide and the results it shows, one for each leg.
type example struct {
	line  int
	lang  string // js or ts
	flags []string
	code  string
	want  []map[string]any
}

// TestCellsGuide runs every example of docs/cells.md over NATS and compares the results it shows.
func TestCellsGuide(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/cells.md")
	if err != nil {
		t.Fatal(err)
	}
	tools, err := os.ReadFile("testdata/cells.json")
	if err != nil {
		t.Fatal(err)
	}
	examples := readExamples(t, string(text))
	if len(examples) < 25 {
		t.Fatalf("the guide has %d examples", len(examples))
	}
	url := natstest.Server(t)
	startWorker(t, url, nil)
	shop := &shopGateway{}
	shop.gateway = newGateway(t, url, shop.answer)
	for _, e := range examples {
		t.Run("line "+strconv.Itoa(e.line), func(t *testing.T) {
			r := shop.exec(e.code, e.job(t, tools))
			for leg := 0; ; leg++ {
				compareResult(t, r, e.want[leg])
				if r.Result.Status != protocol.StatusWaiting || t.Failed() {
					break
				}
				if leg+1 == len(e.want) {
					t.Fatal("the run waits, but the guide shows no more results")
				}
				shop.release()
				r = shop.wait(r.RunID)
			}
		})
	}
}

func readExamples(t *testing.T, text string) []example {
	t.Helper()
	var examples []example
	var open *example
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		info, fenced := strings.CutPrefix(lines[i], "```")
		if !fenced {
			continue
		}
		start := i + 1
		for i++; i < len(lines) && lines[i] != "```"; i++ {
		}
		body := strings.Join(lines[start:min(i, len(lines))], "\n")
		words := strings.Fields(info)
		switch {
		case len(words) > 0 && (words[0] == "js" || words[0] == "ts") && open == nil:
			open = &example{line: start, lang: words[0], flags: words[1:], code: body}
		case len(words) == 1 && words[0] == "json" && open != nil:
			if !strings.HasPrefix(body, "[") {
				body = "[" + body + "]"
			}
			if err := json.Unmarshal([]byte(body), &open.want); err != nil || len(open.want) == 0 {
				t.Fatalf("result at line %d: %v", start, err)
			}
			examples, open = append(examples, *open), nil
		default:
			t.Fatalf("line %d: a cell must be followed by its result", start)
		}
	}
	return examples
}

// job gives the fields of the example's job: flags are restartSafe, swarm, and key=number of the configuration.
func (e *example) job(t *testing.T, tools json.RawMessage) map[string]any {
	t.Helper()
	input := map[string]any{"code": e.code, "language": map[string]string{"js": "javascript", "ts": "typescript"}[e.lang]}
	config := map[string]any{"enabled": true}
	job := map[string]any{"input": input, "config": config, "catalog": map[string]any{"inline": tools}, "scope": map[string]any{"sessionId": "s1", "agentRunId": "r1"}}
	for _, flag := range e.flags {
		key, number, given := strings.Cut(flag, "=")
		switch n, err := strconv.Atoi(number); {
		case flag == "restartSafe":
			input["restartSafe"] = true
		case flag == "swarm":
			job["swarm"] = true
		case given && err == nil:
			config[key] = n
		default:
			t.Fatalf("line %d: unknown flag %s", e.line, flag)
		}
	}
	return job
}

// compareResult checks the fields that the guide shows; a status that is not shown is completed.
func compareResult(t *testing.T, r protocol.Reply, want map[string]any) {
	t.Helper()
	text, err := protocol.Marshal(r.Result)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if want["status"] == nil {
		want["status"] = "completed"
	}
	for key, value := range want {
		if !reflect.DeepEqual(got[key], value) {
			t.Errorf("%s: got %v, the guide shows %v\nresult: %s", key, got[key], value, text)
		}
	}
}

// shopGateway plays the shop of the guide. Reports are ready once the run has parked.
type shopGateway struct {
	*gateway
	mu      sync.Mutex
	reports []protocol.Call
}

// wait is as that of gateway with the run's whole identity.
func (s *shopGateway) wait(runID string) protocol.Reply {
	return s.reply(s.send(protocol.JobWait, map[string]any{"runId": runID, "scope": map[string]any{"sessionId": "s1", "agentRunId": "r1"}}))
}

// release finishes the reports that were asked for.
func (s *shopGateway) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.reports {
		if err := s.storeResult(c.RunID, c.CallID, okResult(c.CallID, map[string]any{"pages": 7})); err != nil {
			s.t.Errorf("store report: %v", err)
		}
	}
	s.reports = nil
}

func (s *shopGateway) answer(c protocol.Call) []byte {
	var in struct{ ID, State, To string }
	if len(c.Input) > 0 {
		_ = json.Unmarshal(c.Input, &in) // not every input is an object
	}
	fail := func(message, kind string) []byte {
		data, err := protocol.Marshal(protocol.CallResult{V: 1, CallID: c.CallID, Error: &protocol.CallError{Message: message, Kind: kind}})
		if err != nil {
			s.t.Error(err)
		}
		return data
	}
	orders := []map[string]any{{"id": "o1", "total": 30}, {"id": "o2", "total": 12}}
	switch {
	case c.Method.Swarm():
		return s.child(c)
	case c.ToolName == "orders_list":
		return okResult(c.CallID, orders)
	case c.ToolName == "orders_get":
		for _, o := range orders {
			if o["id"] == in.ID {
				return okResult(c.CallID, o)
			}
		}
		return fail("no order "+in.ID, "")
	case c.ToolName == "send":
		return fail("mail is off", protocol.KindBlocked)
	case c.ToolName == "price":
		return okResult(c.CallID, 3)
	case c.ToolName == "report":
		s.mu.Lock()
		defer s.mu.Unlock()
		s.reports = append(s.reports, c)
		return []byte{}
	case c.ToolName == "github__create_issue":
		return []byte(`{"v":1,"callId":"` + c.CallID + `","ok":true,"result":{"structuredContent":` + string(c.Input) + `,"isError":true}}`)
	}
	return okResult(c.CallID, c.Input)
}

// child plays the child agents.
func (s *shopGateway) child(c protocol.Call) []byte {
	args := string(c.Args)
	switch {
	case c.Method == protocol.MethodSwarmNote:
		return okResult(c.CallID, nil)
	case c.Method == protocol.MethodAgentSpawn:
		id := "child-words"
		if strings.Contains(args, `"rater"`) {
			id = "child-numbers"
		} else if strings.Contains(args, "Fail") {
			id = "child-fail"
		}
		return okResult(c.CallID, map[string]any{"status": "accepted", "runId": id})
	case strings.Contains(args, "child-fail"):
		return okResult(c.CallID, map[string]any{"runId": "child-fail", "status": "timeout", "error": "out of time"})
	case strings.Contains(args, "child-numbers"):
		return okResult(c.CallID, map[string]any{"runId": "child-numbers", "status": "done", "result": "5 of 5", "structured": map[string]any{"score": 5}})
	}
	return okResult(c.CallID, map[string]any{"runId": "child-words", "status": "done", "result": "A small shop."})
}
