package config

import (
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
)

// Faults is everything that is wrong with a configuration: one line each, which names the variable, its
// value and what is allowed.
type Faults []string

func (f Faults) Error() string { return strings.Join(f, "\n") }

// Load reads the configuration from variables in the form of os.Environ. An empty variable counts as one
// that is not set. The warnings are about what is allowed but has no effect. Every error is Faults.
func Load(environ []string) (cfg Config, warnings []string, err error) {
	vars := env.ToMap(environ)
	names := useAliases(vars)
	reasons, faults := parse(&cfg, vars)
	for _, f := range fields() {
		name := f.Tag.Get("env")
		reason, bad := reasons[f.Name]
		if !bad && vars[name] != "" {
			reason = outOfBounds(f, reflect.ValueOf(&cfg).Elem().FieldByIndex(f.Index), vars[name])
		}
		if reason != "" {
			faults = append(faults, fmt.Sprintf("%s is %q: want %s", names[name], shown(f, vars[name]), reason))
		}
	}
	faults = append(faults, cfg.contradictions()...)
	faults = append(faults, cfg.fill(vars)...)
	if len(faults) > 0 {
		return Config{}, nil, faults
	}
	return cfg, cfg.warnings(vars), nil
}

// useAliases gives each variable that is not set the value of its other name, and returns the name under
// which each was set.
func useAliases(vars map[string]string) (names map[string]string) {
	names = map[string]string{}
	for _, f := range fields() {
		name, alias := f.Tag.Get("env"), f.Tag.Get("alias")
		names[name] = name
		if alias != "" && vars[name] == "" && vars[alias] != "" {
			vars[name], names[name] = vars[alias], alias
		}
	}
	return names
}

func fields() []reflect.StructField { return reflect.VisibleFields(reflect.TypeFor[Config]()) }

// parse fills cfg and says for each field that could not be read what it wants.
func parse(cfg *Config, vars map[string]string) (reasons map[string]string, others Faults) {
	err := env.ParseWithOptions(cfg, env.Options{Environment: vars})
	if err == nil {
		return nil, nil
	}
	reasons = map[string]string{}
	all := env.AggregateError{}
	if !errors.As(err, &all) {
		all.Errors = []error{err}
	}
	for _, err := range all.Errors {
		var bad env.ParseError
		if !errors.As(err, &bad) {
			others = append(others, err.Error())
			continue
		}
		field, _ := reflect.TypeFor[Config]().FieldByName(bad.Name)
		reasons[bad.Name] = wanted(field, bad.Err)
	}
	return reasons, others
}

// wanted is what a field of this kind takes; those with a form of their own say it in err.
func wanted(field reflect.StructField, err error) string {
	switch {
	case field.Type == reflect.TypeFor[time.Duration]():
		return "a duration such as 10s, " + field.Tag.Get("allow")
	case field.Type.Kind() == reflect.Bool:
		return "true or false"
	case field.Type.Kind() == reflect.Int, field.Type.Kind() == reflect.Int64:
		return field.Tag.Get("allow")
	case field.Tag.Get("off") != "":
		return err.Error() + " or " + Off
	}
	return err.Error()
}

// outOfBounds says what a field wants whose value its tags do not allow, and "" if they do.
func outOfBounds(field reflect.StructField, value reflect.Value, text string) string {
	allow := field.Tag.Get("allow")
	low, high, isRange := strings.Cut(allow, " to ")
	ok := true
	switch {
	case isRange && field.Type == reflect.TypeFor[time.Duration]():
		ok = value.Int() >= int64(mustDuration(low)) && value.Int() <= int64(mustDuration(high))
	case isRange:
		ok = value.Int() >= mustInt(low) && value.Int() <= mustInt(high)
	case allow != "":
		ok = slices.Contains(words(allow), text)
	case field.Type == reflect.TypeFor[Address]():
		if text == Off && field.Tag.Get("off") == "" {
			return errAddress.Error()
		}
	}
	if ok {
		return ""
	}
	return wanted(field, errors.New(allow))
}

var userInfo = regexp.MustCompile(`(^|,)([a-z]*://)?[^,]*@`)

// shown is a value as a message may have it.
func shown(field reflect.StructField, value string) string {
	switch {
	case field.Tag.Get("secret") != "":
		return "(hidden)"
	case field.Type == reflect.TypeFor[ServerURLs]():
		return userInfo.ReplaceAllString(value, "${1}${2}xxxxx@")
	}
	return value
}

// words are those of "a, b or c".
func words(allow string) []string {
	return strings.Split(strings.ReplaceAll(allow, " or ", ", "), ", ")
}

// The bounds in the tags are constants, and a test reads them all.
func mustDuration(s string) time.Duration {
	d, err := time.ParseDuration(s)
	if err != nil {
		panic(err)
	}
	return d
}

func mustInt(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// contradictions are settings that exclude or need one another.
func (c *Config) contradictions() (faults Faults) {
	var identities []string
	for _, id := range []struct {
		name string
		set  bool
	}{
		{"CODEMODE_NATS_CREDS", c.NATSCreds != ""}, {"CODEMODE_NATS_NKEY", c.NATSNKey != ""},
		{"CODEMODE_NATS_USER", c.NATSUser != ""}, {"CODEMODE_NATS_TOKEN", c.NATSToken != ""},
	} {
		if id.set {
			identities = append(identities, id.name)
		}
	}
	if len(identities) > 1 {
		faults = append(faults, strings.Join(identities, " and ")+" are set: want one of them")
	}
	for _, pair := range []struct {
		name, with string
		missing    bool
	}{
		{"CODEMODE_NATS_PASSWORD", "CODEMODE_NATS_USER", c.NATSPassword != "" && c.NATSUser == ""},
		{"CODEMODE_NATS_CERT", "CODEMODE_NATS_KEY", c.NATSCert != "" && c.NATSKey == ""},
		{"CODEMODE_NATS_KEY", "CODEMODE_NATS_CERT", c.NATSKey != "" && c.NATSCert == ""},
	} {
		if pair.missing {
			faults = append(faults, pair.name+" is set without "+pair.with)
		}
	}
	return faults
}

// fill works out the defaults that depend on the machine.
func (c *Config) fill(vars map[string]string) (faults Faults) {
	if c.WorkerID == "" {
		c.WorkerID = newWorkerID()
	}
	if c.Embedded && c.EmbeddedStore == "" {
		dir, err := stateFolder(vars)
		if err != nil {
			faults = append(faults, fmt.Sprintf("CODEMODE_EMBEDDED_STORE is not set and there is no default: %v", err))
		}
		c.EmbeddedStore = dir
	}
	switch c.CacheDir {
	case Off:
		c.CacheDir = ""
	case "":
		// Without a cache folder the engine is compiled at every start, which whoever opens it warns of.
		if dir, err := os.UserCacheDir(); err == nil {
			c.CacheDir = filepath.Join(dir, "codemode")
		}
	}
	return faults
}

func newWorkerID() WorkerID {
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "worker"
	}
	safe := strings.Map(func(r rune) rune {
		if workerForm.MatchString(string(r)) {
			return r
		}
		return '-'
	}, host)
	return WorkerID(safe[:min(len(safe), 100)] + "-" + strings.ToLower(rand.Text()[:6]))
}

// stateFolder is where the system wants programs to keep what has to outlive a restart.
func stateFolder(vars map[string]string) (string, error) {
	base := vars["XDG_STATE_HOME"]
	if base == "" {
		var err error
		switch runtime.GOOS {
		case "windows":
			base, err = os.UserCacheDir() // LocalAppData
		case "darwin":
			base, err = os.UserConfigDir() // Application Support
		default:
			base, err = os.UserHomeDir()
			base = filepath.Join(base, ".local", "state")
		}
		if err != nil {
			return "", err
		}
	}
	return filepath.Join(base, "codemode", "nats"), nil
}

func (c *Config) warnings(vars map[string]string) (warnings []string) {
	known := map[string]bool{}
	for _, f := range fields() {
		known[f.Tag.Get("env")] = true
	}
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		if strings.HasPrefix(name, "CODEMODE_") && !known[name] {
			warnings = append(warnings, name+" is set, but is not a variable of the worker")
		}
	}
	if c.Embedded && vars["CODEMODE_NATS_URL"] != "" {
		warnings = append(warnings, "CODEMODE_NATS_URL is set, but the embedded server is used")
	}
	return warnings
}
