package catalog

// rejection is an error whose text the contract fixes, word for word; a model or guest code reads it.
type rejection string

func (r rejection) Error() string { return string(r) }
