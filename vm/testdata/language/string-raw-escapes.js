return ['\x41\u0042\u{43}\t|\0|'.length, 'line\
cont', "it's", 'tab\tq"'];
// => [7,"linecont","it's","tab\tq\""]
