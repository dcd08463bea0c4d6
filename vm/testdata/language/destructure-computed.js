const k = 'dyn';
const { [k + 'amic']: v = 'none', [`${k}!`]: w = 'none' } = { dynamic: 1 };
return [v, w];
// => [1,"none"]
