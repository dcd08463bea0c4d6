return [...new URLSearchParams({ '\ud800': 'one', x: '2', '\ufffd': 'three' })];
