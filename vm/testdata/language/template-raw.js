return String.raw`C:\new\table${1 + 1}`;
// => "C:\\new\\table2"
