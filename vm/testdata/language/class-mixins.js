const Walk = (B) => class extends B { walk() { return 'walk'; } };
class Dog extends Walk(class { bark() { return 'bark'; } }) {}
return [new Dog().walk(), new Dog().bark()];
// => ["walk","bark"]
