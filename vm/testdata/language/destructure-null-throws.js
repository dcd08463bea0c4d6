try { const { a } = null; } catch (e) { return e instanceof TypeError; }
// => true
