let x = 'outer';
const f = (a = () => x) => { let x = 'inner'; return a(); };
return f();
// => "outer"
