class Account {
  static #count = 0;
  #balance = 0;
  log = [];
  constructor(owner) { this.owner = owner; Account.#count++; }
  async deposit(n) {
    this.#balance += n;
    try { await tools.callValue('audit', { owner: this.owner, n }); this.log.push('ok'); } catch (e) { this.log.push(e.message); }
    return this;
  }
  get balance() { return this.#balance; }
  static get count() { return Account.#count; }
}
class Savings extends Account { get balance() { return super.balance * 2; } }
const a = await new Account('ann').deposit(5).then((x) => x.deposit(7));
const s = await new Savings('sam').deposit(1);
return [a.balance, a.log, s.balance, s instanceof Account, Account.count];
