return await new Promise(() => { throw 'in executor'; }).catch((x) => x);
// => "in executor"
