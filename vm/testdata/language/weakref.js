const o = { a: 1 };
return [new WeakRef(o).deref() === o, typeof FinalizationRegistry];
// => [true,"function"]
