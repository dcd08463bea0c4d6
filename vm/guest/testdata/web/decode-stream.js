const bytes = new TextEncoder().encode('aé日😀z');
const out = [];
for (const size of [1, 2, 3, 4, 5]) {
  const d = new TextDecoder();
  const parts = [];
  for (let i = 0; i < bytes.length; i += size) parts.push(d.decode(bytes.subarray(i, i + size), { stream: true }));
  parts.push(d.decode());
  out.push(parts);
}
return out;
