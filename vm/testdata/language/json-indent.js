return JSON.stringify({ a: [1, 2], b: {} , c: [] }, null, 2);
// => "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {},\n  \"c\": []\n}"
