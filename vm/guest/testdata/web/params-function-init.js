function f() {}
f.a = 1;
return [...new URLSearchParams(f)];
