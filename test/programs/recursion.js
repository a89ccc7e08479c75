// Stacks deeper than a tick can hold, mutual recursion, and stacks that overflow.
"use strict";
function dive(n) {
  return n === 0 ? work(300) : 1 + dive(n - 1);
}
function work(n) {
  let t = 0;
  for (let i = 0; i < n; i++) t += Math.sqrt(i);
  return t > 0 ? 0 : 1;
}
function even(n) {
  return n === 0 ? work(50) === 0 : odd(n - 1);
}
function odd(n) {
  return n === 0 ? false : even(n - 1);
}
function forever(n) {
  return forever(n + 1) + 1;
}
function overflow() {
  try {
    return forever(0);
  } catch (error) {
    return error instanceof RangeError ? 1 : 2;
  }
}
function throughBuiltins(n) {
  if (n === 0) return work(100);
  return [n].map(function inMap(m) {
    return throughBuiltins(m - 1);
  })[0];
}
const end = Date.now() + 1300;
let sum = 0;
while (Date.now() < end) {
  sum += dive(250) + dive(2000) + (even(1000) ? 1 : 0) + throughBuiltins(120);
  for (let i = 0; i < 3; i++) sum += overflow();
}
console.log(sum > 0);
