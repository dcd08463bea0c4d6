package config

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/tabwriter"
	"time"
)

// Row describes one variable.
type Row struct{ Name, Type, Default, Help string }

// Table describes all variables, in the order of Config.
func Table() []Row {
	var rows []Row
	for _, f := range fields() {
		row := Row{
			Name: f.Tag.Get("env"), Type: typeText(f), Help: f.Tag.Get("help"),
			Default: cmp.Or(f.Tag.Get("shown"), f.Tag.Get("envDefault"), "none"),
		}
		if alias := f.Tag.Get("alias"); alias != "" {
			row.Help += "; also " + alias
		}
		rows = append(rows, row)
	}
	return rows
}

func typeText(f reflect.StructField) string {
	kind := "text"
	switch f.Type {
	case reflect.TypeFor[ServerURLs]():
		kind = "URLs"
	case reflect.TypeFor[File]():
		kind = "file"
	case reflect.TypeFor[Address]():
		kind = "host:port"
	case reflect.TypeFor[Prefix](), reflect.TypeFor[InboxPrefix]():
		kind = "subject"
	case reflect.TypeFor[time.Duration]():
		kind = "duration"
	case reflect.TypeFor[bool]():
		kind = "boolean"
	case reflect.TypeFor[int](), reflect.TypeFor[int64]():
		kind = "number"
	}
	allow := f.Tag.Get("allow")
	switch {
	case allow != "" && kind == "text":
		return allow
	case allow != "":
		return kind + ", " + allow
	case f.Tag.Get("off") != "":
		return kind + " or " + Off
	}
	return kind
}

// WriteText writes the table with aligned columns.
func WriteText(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range append([]Row{{"NAME", "TYPE", "DEFAULT", "WHAT FOR"}}, Table()...) {
		fmt.Fprintf(tw, "  %s\t%s\t%s\t%s\n", r.Name, r.Type, r.Default, r.Help)
	}
	return tw.Flush()
}

// WriteMarkdown writes the table as docs/configuration.md holds it.
func WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("| Name | Type | Default | What for |\n|---|---|---|---|\n")
	cell := strings.NewReplacer("|", `\|`).Replace
	for _, r := range Table() {
		def := cell(r.Default)
		if r.Default != "none" {
			def = "`" + def + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", r.Name, cell(r.Type), def, cell(r.Help))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
