// V8's builtins: collections, proxies, reflection, JSON, sorting, typed arrays, BigInt, Intl, dates, strings.
"use strict";
const works = {
  maps: function maps() {
    const map = new Map();
    const set = new Set();
    for (let i = 0; i < 2000; i++) {
      map.set("k" + (i % 100), i);
      set.add(i % 300);
    }
    let t = 0;
    map.forEach(function each(value) {
      t += value;
    });
    return t + set.size;
  },
  proxies: function proxies() {
    const handler = { get: (target, key) => Reflect.get(target, key) || 0, has: () => true };
    const proxy = new Proxy({ a: 1 }, handler);
    let t = 0;
    for (let i = 0; i < 2000; i++) t += proxy.a + ("b" in proxy ? 1 : 0) + Reflect.ownKeys(proxy).length;
    return t;
  },
  json: function json() {
    const made = { list: [1, 2, { deep: ["text", null, true] }], text: "äöü\n".repeat(200) };
    return JSON.parse(JSON.stringify(made)).text.length;
  },
  sorts: function sorts() {
    const list = [];
    for (let i = 0; i < 1000; i++) list.push((i * 7919) % 1009);
    list.sort(function compare(a, b) {
      return a - b;
    });
    return list.indexOf(5) + list.map(String).sort().length + list.filter(Boolean).reduce((a, b) => a + b, 0);
  },
  typed: function typed() {
    const floats = new Float64Array(5000);
    for (let i = 0; i < floats.length; i++) floats[i] = Math.sin(i);
    floats.sort();
    return floats.subarray(10).slice(5).fill(1).length;
  },
  strings: function strings() {
    const s = "The quick brown fox ".repeat(50);
    return (
      s.toUpperCase().split(" ").reverse().join("-").replace("FOX", "dog").localeCompare(s) +
      s.normalize("NFD").length
    );
  },
  bigints: function bigints() {
    const big = BigInt(3);
    let product = BigInt(1);
    for (let i = 0; i < 300; i++) product *= big;
    return product.toString().length;
  },
  intl: function intl() {
    const format = new Intl.NumberFormat("de-DE", { style: "currency", currency: "EUR" });
    let t = 0;
    for (let i = 0; i < 50; i++)
      t += format.format(i * 1234.5).length + new Date(i * 1e9).toLocaleDateString("en-US").length;
    return t;
  },
  symbols: function symbols() {
    const o = {
      [Symbol.toPrimitive]: () => 42,
      get [Symbol.toStringTag]() {
        return "Odd";
      },
    };
    let t = 0;
    for (let i = 0; i < 2000; i++) t += +o + Object.prototype.toString.call(o).length;
    return t;
  },
  copies: function copies() {
    let t = 0;
    for (let i = 0; i < 300; i++) {
      const o = Object.assign({}, { a: i, b: [i], c: "c" + i });
      t += Object.keys(o).length + Object.entries(o).length + structured(o);
    }
    return t;
  },
};
function structured(o) {
  return typeof structuredClone === "function" ? structuredClone(o).b.length : 1;
}
const end = Date.now() + 1800;
let sum = 0;
while (Date.now() < end) {
  Object.keys(works).forEach(function run(name) {
    try {
      sum += works[name]();
    } catch (_error) {
      delete works[name]; // This Node has no such thing.
    }
  });
}
console.log(typeof sum);
