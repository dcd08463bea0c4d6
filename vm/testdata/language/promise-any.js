const e = await Promise.any([Promise.reject(1), Promise.reject(2)]).catch((x) => x);
return [await Promise.any([Promise.reject(1), 5]), e instanceof AggregateError, e.errors];
// => [5,true,[1,2]]
