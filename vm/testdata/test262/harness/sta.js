// The least that tests of this metadata format use. Written for this runner.
class Test262Error extends Error {}
Test262Error.prototype.name = 'Test262Error';
Test262Error.thrower = (message) => { throw new Test262Error(message); };
function $DONOTEVALUATE() { throw 'this text must not be evaluated'; }
