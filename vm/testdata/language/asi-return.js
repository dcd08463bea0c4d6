const f = () => {
  return
  1;
};
return f() ?? 'undefined';
// => "undefined"
