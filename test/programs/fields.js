// Class fields, private methods, static blocks, optional chaining, logical assignment: Node 16 and later.
"use strict";
class Counter {
  static #made = 0;
  static {
    Counter.start = [1, 2, 3].map((n) => n * 2);
  }
  #count = 0;
  "field, quoted" = (n) => this.#add(n);
  ["computed\nfield"] = (n) => n + 1;
  static of(n) {
    if (Counter.#made++ > 1e9) return undefined;
    return new Counter(n);
  }
  constructor(n) {
    this.#count = n;
  }
  #add(n) {
    this.#count += n;
    return this.#count;
  }
  get #half() {
    return this.#count / 2;
  }
  total(o) {
    o.cache ??= {};
    o.cache.value ||= this.#half;
    return o?.cache?.value ?? this["computed\nfield"](1);
  }
}
const end = Date.now() + 1000;
let sum = 0;
while (Date.now() < end) {
  for (let i = 0; i < 2000; i++) {
    const counter = Counter.of(i);
    sum = (sum + counter["field, quoted"](i) + counter.total({}) + Counter.start[i % 3]) % 1e9;
  }
}
console.log(sum > 0);
