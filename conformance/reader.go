package conformance

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// reader collects what is wrong with a case while it is read, so that an author
// sees all of it at once.
type reader struct{ defects []string }

func (r *reader) defect(format string, args ...any) {
	r.defects = append(r.defects, fmt.Sprintf(format, args...))
}

func at(where, what string) string {
	if where == "" {
		return what
	}
	return where + ": " + what
}

// object wants an object with no other keys than these; nil keys allow any.
// It answers nil, which reads as an empty object, where there is none.
func (r *reader) object(v any, where string, keys []string) *object {
	o, ok := v.(*object)
	if !ok {
		r.defect("%s", at(where, "want an object, got "+short(v)))
		return nil
	}
	if keys != nil {
		for _, k := range o.names() {
			if !slices.Contains(keys, k) {
				r.defect("%s", at(where, "unknown key "+k))
			}
		}
	}
	return o
}

// The following read a key that may be absent.

func (r *reader) list(o *object, key, where string) []any {
	switch v := o.get(key).(type) {
	case nil:
		return nil
	case []any:
		return v
	default:
		r.defect("%s", at(where, key+" is not a list"))
		return nil
	}
}

func (r *reader) text(o *object, key, where string) string {
	switch v := o.get(key).(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		r.defect("%s", at(where, key+" is not a text"))
		return ""
	}
}

func (r *reader) flag(o *object, key, where string) bool {
	switch v := o.get(key).(type) {
	case nil:
		return false
	case bool:
		return v
	default:
		r.defect("%s", at(where, key+" is neither true nor false"))
		return false
	}
}

func (r *reader) number(o *object, key, where string, otherwise float64) float64 {
	switch v := o.get(key).(type) {
	case nil:
		return otherwise
	case float64:
		return v
	default:
		r.defect("%s", at(where, key+" is not a number"))
		return otherwise
	}
}

// millis reads a time; it is kept within a day, so that no sum overflows.
func (r *reader) millis(o *object, key, where string, otherwise time.Duration) time.Duration {
	const day = float64(24 * time.Hour / time.Millisecond)
	ms := r.number(o, key, where, float64(otherwise/time.Millisecond))
	return time.Duration(math.Max(-day, math.Min(day, ms)) * float64(time.Millisecond))
}

// patterns reads one pattern or a list of them.
func (r *reader) patterns(o *object, key, where string) []pattern {
	list, ok := o.get(key).([]any)
	if !ok {
		if !o.has(key) {
			return nil
		}
		list = []any{o.get(key)}
	}
	var out []pattern
	for _, v := range list {
		source, ok := v.(string)
		if !ok {
			r.defect("%s", at(where, key+" holds what is no pattern: "+short(v)))
			continue
		}
		p, err := compilePattern(source)
		if err != nil {
			r.defect("%s", at(where, key+": "+err.Error()))
			continue
		}
		out = append(out, p)
	}
	return out
}

func (r *reader) pattern(o *object, key, where string) *pattern {
	if isList(o.get(key)) {
		r.defect("%s", at(where, key+" is not one pattern"))
		return nil
	}
	if p := r.patterns(o, key, where); len(p) == 1 {
		return &p[0]
	}
	return nil
}
