// Code that is born and dies: thousands of functions compiled, run hot and dropped, so that addresses are used again.
"use strict";
function compile(i) {
  const inner = "return function inner" + i + "(m) { while (m-- > 0) t ^= m; return t; };";
  return new Function("n", "var t = " + i + "; for (; n > 0; n--) t = (t * 33 + n) | 0; " + inner);
}
function pressure(n) {
  const list = [];
  for (let i = 0; i < n; i++) list.push({ i: i, text: "x" + i });
  return list.length;
}
const collect = typeof gc === "function" ? gc : function none() {};
const kept = [];
const end = Date.now() + 2000;
let sum = 0;
let i = 0;
for (; Date.now() < end; i++) {
  const outer = compile(i);
  for (let n = 0; n < 30; n++) sum ^= outer(300)(300);
  kept[i % 100] = outer;
  if (i % 50 === 0) sum += pressure(20000);
  if (i % 300 === 0) collect();
}
console.log(typeof sum, i > 0);
