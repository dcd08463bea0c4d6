return [new URLSearchParams(undefined), new URLSearchParams(5), new URLSearchParams(true), new URLSearchParams('null')].map(String);
