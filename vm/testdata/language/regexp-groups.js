const m = '2024-03-10'.match(/(?<y>\d{4})-(?<m>\d\d)-(?<d>\d\d)/);
return [m.groups.y, m[2], m.index, { ...m.groups }];
// => ["2024","03",0,{"y":"2024","m":"03","d":"10"}]
