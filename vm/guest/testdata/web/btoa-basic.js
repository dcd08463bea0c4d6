let s = ''; for (let i = 0; i < 256; i++) s += String.fromCharCode(i);
return [btoa(''), btoa('a'), btoa('ab'), btoa('abc'), btoa(s), btoa(null), btoa(undefined), btoa(12), btoa({ toString: () => 'o' })];
