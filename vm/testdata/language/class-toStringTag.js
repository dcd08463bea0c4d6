class T { get [Symbol.toStringTag]() { return 'Tee'; } }
return String(new T());
// => "[object Tee]"
