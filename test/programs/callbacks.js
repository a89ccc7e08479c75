// Builtins that call back, bound functions, getters by defineProperty, arguments, names set afterwards, computed keys.
"use strict";
const key = "computed, with comma";
const odd = {
  [key](n) {
    return n * 2;
  },
  get "quoted name"() {
    return 3;
  },
  async: function (n) {
    // biome-ignore lint/complexity/noArguments: the arguments object is what is exercised.
    return arguments.length + n;
  },
};
const renamed = function before(n) {
  let t = 0;
  for (let i = 0; i < n; i++) t += i % 7;
  return t;
};
Object.defineProperty(renamed, "name", { value: "after, renamed\nin two lines" });
const bound = renamed.bind(null, 3000);
const list = [];
for (let n = 0; n < 500; n++) list.push(n);
Object.defineProperty(list, "last", {
  get: function getLast() {
    return list[list.length - 1];
  },
});
function each(fn) {
  return list
    .map(fn)
    .filter((x) => x % 2)
    .reduce((a, b) => a + b, 0);
}
const end = Date.now() + 1200;
let sum = 0;
while (Date.now() < end) {
  sum += each(odd[key]) + each(odd.async) + odd["quoted name"] + bound() + list.last;
  sum += Array.from(list, (x) => x + 1).some((x) => x < 0) ? 1 : 0;
  sum += list
    .slice()
    .sort((a, b) => b - a)
    .findIndex((x) => x === 3);
  sum += "a-b-c".replace(/-/g, () => "+").length + Function.prototype.apply.call(renamed, null, [10]);
}
console.log(sum > 0);
