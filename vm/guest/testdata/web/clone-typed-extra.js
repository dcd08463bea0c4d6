const u = new Uint8Array(2); u.extra = 1;
class S extends Uint8Array {}
return [structuredClone(u).extra === undefined, structuredClone(new S(3)).constructor === Uint8Array];
