return [encodeURIComponent('a b&c/é'), encodeURI('a b&c/é'), decodeURIComponent('%C3%A9'), escape('é'), unescape('%E9')];
// => ["a%20b%26c%2F%C3%A9","a%20b&c/%C3%A9","é","%E9","é"]
