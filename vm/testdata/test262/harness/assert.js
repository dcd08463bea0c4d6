function assert(value, message) {
  if (value !== true) throw new Test262Error(message ?? 'not true');
}
assert.sameValue = (actual, expected, message) => assert(Object.is(actual, expected), message ?? `${String(actual)} is not ${String(expected)}`);
assert.throws = (kind, fn, message) => {
  try { fn(); } catch (error) { return assert(error.constructor === kind, message); }
  assert(false, message ?? 'nothing was thrown');
};
