const d = new TextDecoder();
return [[], [97, 98], [195, 169], [230, 151, 165], [240, 159, 152, 128], [0], [127], [0xef, 0xbf, 0xbd], [0xf4, 0x8f, 0xbf, 0xbf], [0xee, 0x80, 0x80]].map((b) => d.decode(new Uint8Array(b)));
