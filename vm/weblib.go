package vm

import (
	"embed"
	"fmt"
)

//go:embed guest/web-*.js
var webFiles embed.FS

// webOrder is the order in which the scripts of the web platform's globals are run; the URL scripts build
// on one another.
var webOrder = []string{"web-encoding.js", "web-url-host.js", "web-url-parse.js", "web-url-params.js", "web-url.js", "web-clone.js"}

// guestLibrary is the text of everything that runs in the base image. Its value is a function of the
// global object and the host function that gives the controller's entry points.
func guestLibrary() (string, error) {
	code := "(function (global, host) { 'use strict';\nconst shared = {};\n"
	for _, name := range webOrder {
		part, err := webFiles.ReadFile("guest/" + name)
		if err != nil {
			return "", fmt.Errorf("read guest library: %w", err)
		}
		code += "(" + string(part) + ")(global, shared);\n"
	}
	return code + "const library = (" + renderJS + ")();\nreturn (" + controllerJS + ")(global, host, library);\n})", nil
}
