const q = new URLSearchParams('__proto__=1&constructor=2&toString=3');
return [q.get('__proto__'), [...q], [...new URLSearchParams(JSON.parse('{"__proto__":"x","a":"y"}'))]];
