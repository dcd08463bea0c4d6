const page = await tools.callValue('openclaw:core:orders', { status: 'open', limit: 20 });
const late = page.orders.filter((o) => o.days > 14);
const total = late.reduce((sum, o) => sum + o.amount, 0);
const names = [...new Set(late.map((o) => o.customer))].sort();
return { late: late.length, total, names };
