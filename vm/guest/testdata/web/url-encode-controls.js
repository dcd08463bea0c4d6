return ['\u0001', '\u001f', '\u007f', '\u0080', '\u00a0', '\ufeff', '\u{10ffff}', '\ud800', 'a\udc00b'].map((c) => new URL('http://h/x' + c + 'x?' + c + '#' + c + 'x').href);
