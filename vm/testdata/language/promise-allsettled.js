return (await Promise.allSettled([1, Promise.reject('no')])).map((r) => r.status + ':' + (r.value ?? r.reason));
// => ["fulfilled:1","rejected:no"]
