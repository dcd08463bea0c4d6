try { [].length = -1; } catch (e) { return e.name; }
// => "RangeError"
