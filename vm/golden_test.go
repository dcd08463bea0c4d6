package vm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

var writeGolden = flag.Bool("write-golden", false, "write testdata/delta of the current version, where it is missing")

// goldenFacts say what the state files of a version hold.
type goldenFacts struct {
	Identity string `json:"identity"`
	Memory   uint32 `json:"memory"`
	SP       uint32 `json:"sp"`
	Pages    uint32 `json:"pages"`
	Runs     int    `json:"runs"`
	Words    string `json:"words"` // SHA-256 of the words of all runs

	// Of a state that a VM made: for an engine of that identity, what it goes on to.
	Counters *Counters       `json:"counters,omitempty"`
	Answer   json.RawMessage `json:"answer,omitempty"`
	Returned json.RawMessage `json:"returned,omitempty"`
}

func goldenOf(d delta, words []byte) goldenFacts {
	sum := sha256.Sum256(words)
	return goldenFacts{Identity: hex.EncodeToString(d.identity[:]), Memory: d.memory, SP: d.sp, Pages: d.pages, Runs: len(d.runs), Words: hex.EncodeToString(sum[:])}
}

// Every version of the format that was ever written stays readable, bit for bit. A state of a VM is
// resumed as well while the engine it names is the one at hand.
func TestGoldenStates(t *testing.T) {
	t.Parallel()
	if *writeGolden {
		if err := makeGolden(t); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob("testdata/delta/v*/*.state")
	if err != nil || len(files) < 2 {
		t.Fatalf("golden states are missing: %v, %v", files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var want goldenFacts
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		d, words, err := decodeDelta(data)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		got := goldenOf(d, words)
		got.Counters, got.Answer, got.Returned = want.Counters, want.Answer, want.Returned
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", file, got, want)
		}
		resumeGolden(t, file, data, want)
	}
	// The bytes that this version writes for the made-up memory are those of the file.
	data, _ := sampleState()
	if want, err := os.ReadFile("testdata/delta/v1/sample.state"); err != nil || string(want) != string(data) {
		t.Errorf("the sample is now written in other bytes than those of version 1 (%v); a new format needs a new version", err)
	}
}

func resumeGolden(t *testing.T, file string, data []byte, want goldenFacts) {
	t.Helper()
	e := testEngine(t)
	if want.Counters == nil || want.Identity != e.Identity() {
		return
	}
	v, err := e.Resume(data, *want.Counters, noHost{}, testLimits())
	if err != nil {
		t.Errorf("%s: %v", file, err)
		return
	}
	defer v.Close()
	if turn := mustSettle(t, v, Settlement{ID: 1, Remote: true, Value: want.Answer}); string(turn.Returned) != string(want.Returned) {
		t.Errorf("%s: returned %s, want %s", file, turn.Returned, want.Returned)
	}
}

func makeGolden(t *testing.T) error {
	sample, _ := sampleState()
	e := testEngine(t)
	v, state := parkedVM(t, e)
	defer v.Close()
	answer := json.RawMessage(`{"n":41}`)
	turn, err := v.Settle(Settlement{ID: 1, Remote: true, Value: answer}, time.Now().Add(time.Minute))
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{"sample": sample, "parked": state.Data} {
		file := filepath.Join("testdata", "delta", "v1", name+".state")
		if _, err := os.Stat(file); err == nil {
			continue // golden files are never written again
		}
		d, words, err := decodeDelta(data)
		if err != nil {
			return err
		}
		facts := goldenOf(d, words)
		if name == "parked" {
			facts.Counters, facts.Answer, facts.Returned = &state.Counters, answer, turn.Returned
		}
		text, err := json.MarshalIndent(facts, "", "  ")
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return err
		}
		if err := os.WriteFile(file+".json", append(text, '\n'), 0o644); err != nil {
			return err
		}
	}
	return nil
}
