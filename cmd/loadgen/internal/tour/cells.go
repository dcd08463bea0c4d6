package tour

import (
	"fmt"

	"codemode/cmd/loadgen/internal/gatewaysim"
	"codemode/protocol"
)

var parallelCell = gatewaysim.Cell{Code: `const found = await tools.search("weather forecast");
const [sky, money, orders] = await Promise.all([
  tools[found[0].name]({ city: "Lisbon" }),
  tools.exchange_rate({ from: "EUR", to: "USD" }),
  tools.open_orders({ customer: "c-42" }),
]);
const euro = orders.reduce((sum, order) => sum + order.euro, 0);
return { found: found[0].id, celsius: sky.celsius, dollars: euro * money.rate };`}

// The lines that have no JavaScript left in them are what moves all others.
var typeScriptCell = gatewaysim.Cell{Language: protocol.TypeScript, Code: `interface Order {
  id: string;
  euro: number;
  customer?: { name: string };
}

type Named = (order: Order) => string;

const nameOf: Named = (order) => order.customer!.name.toUpperCase();

const orders: Order[] = [{ id: "A-1", euro: 20 }];
return orders.map(nameOf);`}

const (
	typeScriptLine  = 9  // of the error in typeScriptCell
	typeScriptCause = 12 // of the call that led to it
)

// parkTimeoutMs ends the first leg early, so that nobody has to wait for the default of 10 s.
const parkTimeoutMs = 2000

var parkCell = gatewaysim.Cell{
	Code: `const orders = await tools.open_orders({ customer: "c-42" });
const euro = orders.reduce((sum, order) => sum + order.euro, 0);
const ticket = Math.random().toString(36).slice(2, 8);
text(` + "`ticket ${ticket}: asking a person about ${euro} EUR`" + `);
const answer = await tools.ask_person({ question: ` + "`Refund ${euro} EUR?`" + ` });
return { ticket, euro, approved: answer.approved, by: answer.by };`,
	Config: fmt.Appendf(nil, `{"enabled":true,"timeoutMs":%d}`, parkTimeoutMs),
}
