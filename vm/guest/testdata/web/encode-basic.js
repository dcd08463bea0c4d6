const e = new TextEncoder();
return ['', 'abc', 'é', '日本語', '😀', '\u0000', '\u007f\u0080\u07ff\u0800\uffff\u{10000}\u{10ffff}'].map((s) => [...e.encode(s)]);
