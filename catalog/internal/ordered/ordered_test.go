package ordered

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestParseKeepsOrderAndText(t *testing.T) {
	t.Parallel()
	v, err := Parse([]byte(` { "b" : [1, true, null, "x\u00e9\n"], "a":{"__proto__":-1.5e3}, "constructor":false } `))
	if err != nil {
		t.Fatal(err)
	}
	keys := []string{}
	for _, m := range v.Members {
		keys = append(keys, m.Key)
	}
	if want := []string{"b", "a", "constructor"}; !reflect.DeepEqual(keys, want) {
		t.Errorf("keys %q, want %q", keys, want)
	}
	b := v.Get("b")
	if len(b.Items) != 4 || b.Items[3].Str != "xé\n" || !b.Items[1].Is(true) || b.Items[2].Kind != Null {
		t.Errorf("array read as %+v", b.Items)
	}
	if got := string(v.Get("a").Get("__proto__").Raw); got != "-1.5e3" {
		t.Errorf("number text %q", got)
	}
	if v.Has("toString") || v.Get("toString").Kind != Absent {
		t.Error("a key that is not there was found")
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	many := `{` + strings.Repeat(`"k":1,`, 1) + `"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"l":1,"m":1,"n":1,"k":2}`
	for _, c := range []struct {
		text string
		want error
		path string
	}{
		{"\"\xff\"", ErrUTF8, ""},
		{`{"a":{"b":1,"b":2}}`, ErrDuplicateKey, "a.b"},
		{`{"a":1,"\u0061":2}`, ErrDuplicateKey, "a"},
		{many, ErrDuplicateKey, "k"},
		{``, ErrSyntax, ""},
		{`[1,]`, ErrSyntax, "1"},
		{`[01]`, ErrSyntax, "0"},
		{`{"a"}`, ErrSyntax, ""},
		{`{"a":1}}`, ErrSyntax, ""},
		{`"a`, ErrSyntax, ""},
		{`"\`, ErrSyntax, ""},
		{`"\x"`, ErrSyntax, ""},
		{`"\u12"`, ErrSyntax, ""},
		{"\"\n\"", ErrSyntax, ""},
		{strings.Repeat("[", MaxDepth+2), ErrDepth, strings.TrimSuffix(strings.Repeat("0.", maxPath), ".")},
	} {
		_, err := Parse([]byte(c.text))
		var at *Error
		if !errors.Is(err, c.want) || !errors.As(err, &at) || strings.Join(at.Path, ".") != c.path {
			t.Errorf("%.40q: error %v, want %v at %q", c.text, err, c.want, c.path)
		}
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	raw := []byte("{ \"a\" : [ 1.0 , \"<&> \\ud800 \\ud83d\\ude00\" , 1e2, -0 ] , \"b\\n\" : {} }")
	if got, want := string(Compact(raw)), "{\"a\":[1.0,\"<&> \uFFFD 😀\",1e2,-0],\"b\\n\":{}}"; got != want {
		t.Errorf("compact %s, want %s", got, want)
	}
	v, err := Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := Literal(&v), "{\"a\":[1,\"<&> \uFFFD 😀\",100,0],\"b\\n\":{}}"; got != want {
		t.Errorf("literal %s, want %s", got, want)
	}
	if got, want := Quote("a\"\\\x01\t\xff<"), "\"a\\\"\\\\\\u0001\\t\uFFFD<\""; got != want {
		t.Errorf("quote %s, want %s", got, want)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5e-3,"x\ud83d\ude00"],"b":null}`, `[[[]]]`, `"\ud800"`, `{"a":1,"a":1}`, ` true `} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := Parse(data)
		if errors.Is(err, ErrDuplicateKey) || errors.Is(err, ErrUTF8) || errors.Is(err, ErrDepth) {
			return
		}
		if (err == nil) != json.Valid(data) {
			t.Fatalf("Parse error %v, encoding/json says valid is %v", err, json.Valid(data))
		}
		if err != nil {
			return
		}
		var want, got any
		if json.Unmarshal(data, &want) != nil {
			return // a number out of range
		}
		for _, text := range [][]byte{Compact(data), []byte(Literal(&v))} {
			if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%q became %q (%v)", data, text, err)
			}
		}
	})
}
