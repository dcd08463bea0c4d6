const tag = (s, ...v) => s.raw.map((r, i) => r + (v[i] ?? '')).join('|');
return tag`a\n${1}b${2}`;
// => "a\\n1|b2|"
