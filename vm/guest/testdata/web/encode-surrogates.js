const e = new TextEncoder();
return ['\ud800', '\udc00', 'a\ud800b', '\udc00\ud800', '\ud83d\ude00', '\ud83d\ud83d\ude00', '\ude00\ud83d'].map((s) => [...e.encode(s)]);
