const d = new TextDecoder('utf8', { fatal: 1, ignoreBOM: 'x' });
const e = new TextDecoder('utf8', { fatal: 0 });
return [d.fatal, d.ignoreBOM, e.fatal, e.ignoreBOM, d.encoding, new TextDecoder().fatal, new TextDecoder('utf-8', undefined).fatal];
