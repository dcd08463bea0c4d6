package conformance

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// Case is one run, or a few runs, of cells and what a gateway must see of them.
// Cases come from Load or Embedded.
type Case struct {
	Name string // group/short-name
	Why  string // what is tested

	config, swarm, forceRestartSafe any // for the exec job; absent = absent there
	catalog                         any // absent = no tools
	catalogVia                      string
	scope                           *object // nil = ids of its own
	tools                           map[string][]answer
	steps                           []step
	calls                           []wantedCall // judged if checkCalls
	checkCalls, callsOrdered        bool
	patience                        time.Duration // for each reply
}

// answer is how the gateway answers a nested call.
type answer struct {
	kind    string // one of answerKinds; "" answers null
	payload any    // of that kind

	delay        time.Duration
	accept, hold bool
	when         []conditional
}

// conditional is an answer for calls whose input fits.
type conditional struct {
	input       any // by subset; absent = any
	argsMatches *pattern
	answer      answer
}

// wantedCall is a nested call that must have come. Absent = not checked.
type wantedCall struct {
	source      any // as in the file, for problems
	tool, id    any
	input       any
	argsMatches *pattern
	rest        *object // by subset of the Call
}

//go:embed testdata/*.json
var embedded embed.FS

// Embedded returns the cases that are part of this package.
func Embedded() ([]Case, error) {
	names, err := fs.Glob(embedded, "testdata/*.json")
	if err != nil {
		return nil, fmt.Errorf("list embedded cases: %w", err)
	}
	return readAll(names, path.Base, embedded.ReadFile)
}

// Load reads cases from files and from the *.json files of folders. Whatever is
// wrong with any of them, an unknown key or a pattern that RE2 cannot express
// among it, is in the error, since what is not understood would check nothing.
func Load(paths ...string) ([]Case, error) {
	var files []string
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, fmt.Errorf("load cases: %w", err)
		}
		if !info.IsDir() {
			files = append(files, p)
			continue
		}
		entries, err := os.ReadDir(p)
		if err != nil {
			return nil, fmt.Errorf("load cases: %w", err)
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".json") {
				files = append(files, filepath.Join(p, e.Name()))
			}
		}
	}
	return readAll(files, func(s string) string { return s }, os.ReadFile)
}

func readAll(files []string, label func(string) string, read func(string) ([]byte, error)) ([]Case, error) {
	var all []Case
	var defects []error
	for _, file := range files {
		data, err := read(file)
		if err != nil {
			return nil, fmt.Errorf("load cases: %w", err)
		}
		cases, err := parseCases(data)
		if err != nil {
			defects = append(defects, fmt.Errorf("%s: %w", label(file), err))
		}
		all = append(all, cases...)
	}
	if err := errors.Join(defects...); err != nil {
		return nil, err
	}
	return all, nil
}

// parseCases reads the text of one file.
func parseCases(data []byte) ([]Case, error) {
	v, err := decode(data)
	if err != nil {
		return nil, err
	}
	list, ok := v.([]any)
	if !ok {
		return nil, errors.New("not an array of cases")
	}
	cases := make([]Case, 0, len(list))
	var defects []error
	for i, item := range list {
		r := &reader{}
		cases = append(cases, readCase(r, item))
		name := cases[i].Name
		if name == "" {
			name = fmt.Sprintf("case %d", i+1)
		}
		for _, d := range r.defects {
			defects = append(defects, fmt.Errorf("%s: %s", name, d))
		}
	}
	return cases, errors.Join(defects...)
}
