return ['$5 €6'.match(/(?<=\$)\d/)[0], 'foobar foobaz'.match(/foo(?!bar)\w+/)[0], 'price: 100'.replace(/(?<!\d)(?=(\d{3})+$)/, '#')];
// => ["5","foobaz","price: #100"]
