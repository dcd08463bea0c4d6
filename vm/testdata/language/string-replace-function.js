return 'john smith'.replace(/(\w+) (\w+)/, (m, a, b, off, s) => `${b.toUpperCase()}, ${a} ${off} ${s.length}`);
// => "SMITH, john 0 10"
