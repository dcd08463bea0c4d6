const re = /(?<word>[a-z]+)-(?<num>\d+)/giu;
const text1 = Array.from({ length: 40 }, (_, i) => 'w' + String.fromCharCode(97 + i % 26) + '-' + i).join(' ');
re.exec(text1);
await tools.describe('re').catch(() => 0);
const second = re.exec(text1);
const rest = [...text1.matchAll(re)].length;
await tools.describe('re').catch(() => 0);
return [second.groups.word, second.index, re.lastIndex, rest, text1.replace(re, '$<num>').slice(0, 20)];
