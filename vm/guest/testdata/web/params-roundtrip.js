const pairs = [['a b', 'c&d'], ['=', '?'], ['+', '%2B'], ['é', '日本'], ['😀', "!'()~*-._"]];
const t = new URLSearchParams(pairs).toString();
return [t, [...new URLSearchParams(t)]];
