package catalog

import (
	"strings"
	"unicode/utf16"
)

// objectMembers are the properties of Object.prototype: a tool of such a name gets no convenience
// function, and no MCP or namespace name may be mistaken for one of them.
var objectMembers = set(`constructor __defineGetter__ __defineSetter__ hasOwnProperty __lookupGetter__ __lookupSetter__
	isPrototypeOf propertyIsEnumerable toString valueOf __proto__ toLocaleString`)

var toolsMembers = set(`search describe call callValue then toJSON`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// guestPrefix begins the names that are the guest controller's own.
const guestPrefix = "__openclaw"

// safeName makes a tool's name an identifier (contract 5.5). A character is a UTF-16 code unit.
func safeName(name string) string {
	if identifier(name) && !strings.HasPrefix(name, guestPrefix) {
		return name
	}
	var b strings.Builder
	for _, r := range name {
		if identifierPart(r) {
			b.WriteRune(r)
		} else {
			b.WriteString("__"[:utf16.RuneLen(r)])
		}
	}
	safe := b.String()
	if !identifier(safe) || strings.HasPrefix(safe, guestPrefix) {
		return "tool_" + safe
	}
	return safe
}

func (c *Catalog) nameConveniences() {
	first := make(map[string]*Entry, len(c.visible))
	taken := map[string]bool{}
	safe := make([]string, len(c.visible))
	for i, e := range c.visible {
		safe[i] = safeName(e.tool.Name)
		if first[safe[i]] != nil {
			taken[safe[i]] = true
			continue
		}
		first[safe[i]] = e
	}
	c.convenience = make(map[string]string, len(first))
	for i, e := range c.visible {
		if name := safe[i]; !taken[name] && !toolsMembers[name] && !objectMembers[name] {
			c.convenience[name] = e.id
			c.convenienceList = append(c.convenienceList, name)
		}
	}
}

// Convenience gives the id behind tools.<name>, where there is such a function (contract 5.5).
func (c *Catalog) Convenience(name string) (id string, ok bool) {
	id, ok = c.convenience[name]
	return id, ok
}

// ConvenienceNames lists the convenience functions in catalogue order; the list must not be changed.
func (c *Catalog) ConvenienceNames() []string { return c.convenienceList }
