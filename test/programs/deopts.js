// Functions that are optimized, deoptimized and optimized again all the time.
"use strict";
function add(a, b) {
  return a + b;
}
function read(o) {
  return o.value;
}
function sum(list) {
  let t = 0;
  for (let i = 0; i < list.length; i++) t = add(t, read(list[i]));
  return t;
}
function lists() {
  const kinds = [
    function small(i) {
      return { value: i };
    },
    function double(i) {
      return { other: 1, value: i + 0.5 };
    },
    function text(i) {
      return { a: 1, b: 2, value: "t" + (i % 10) };
    },
    function none(i) {
      return i % 7 ? { value: null } : { c: 1, value: undefined };
    },
  ];
  return kinds.map(function fill(kind) {
    const list = [];
    for (let i = 0; i < 300; i++) list.push(kind(i));
    return list;
  });
}
function fresh() {
  // The same source again: new functions that learn from nothing.
  const loop = "for (var i = 0; i < list.length; i++) t = add(t, read(list[i]));";
  return new Function("list", "add", "read", "var t = 0; " + loop + " return t;");
}
const all = lists();
const end = Date.now() + 1300;
let result = 0;
while (Date.now() < end) {
  const f = fresh();
  for (let k = 0; k < all.length; k++) {
    for (let n = 0; n < 40; n++) {
      sum(all[k]);
      result += f(all[(k + (n > 30 ? 1 : 0)) % all.length], add, read) ? 1 : 0;
    }
  }
}
console.log(result > 0);
