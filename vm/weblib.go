package vm

// webLibrary holds the scripts of the web platform's globals, in the order they are run.
var webLibrary []string
