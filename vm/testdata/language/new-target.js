function F() { return { t: new.target === F }; }
return [new F().t, F().t];
// => [true,false]
