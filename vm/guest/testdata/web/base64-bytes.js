const bytes = new TextEncoder().encode('naïve 😀');
const b64 = btoa(String.fromCharCode(...bytes));
const back = Uint8Array.from(atob(b64), (c) => c.charCodeAt(0));
return [b64, new TextDecoder().decode(back)];
