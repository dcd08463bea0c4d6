const bom = [0xef, 0xbb, 0xbf];
const f = (o, ...b) => [...new TextDecoder('utf-8', o).decode(new Uint8Array(b.flat()))].map((c) => c.charCodeAt(0));
return [f({}, bom), f({}, bom, 97), f({}, bom, bom, 97), f({}, 97, bom), f({ ignoreBOM: true }, bom, 97), f({ ignoreBOM: true }, bom), f({}, [0xef, 0xbb]), f({}, [0xef, 0xbb], 97), f({}, [0xfe, 0xff])];
