function f(...a) { return [this.n, ...a]; }
return [f.call({ n: 1 }, 2), f.apply({ n: 3 }, [4, 5]), f.bind({ n: 6 }, 7)(8), f.bind({}, 1).name];
// => [[1,2],[3,4,5],[6,7,8],"bound f"]
