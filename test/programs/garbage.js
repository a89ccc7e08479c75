// Allocation that keeps the garbage collector busy: short lives, long lives, large objects, weak references.
"use strict";
function Node(value, next) {
  this.value = value;
  this.next = next;
}
function list(n) {
  let head = null;
  for (let i = 0; i < n; i++) head = new Node({ i: i, text: "n" + i }, head);
  return head;
}
function strings(n) {
  const parts = [];
  for (let i = 0; i < n; i++) parts.push("part " + i + " of " + n);
  return parts.join("").length;
}
function large(n) {
  const arrays = [];
  for (let i = 0; i < n; i++) arrays.push(new Array(50000).join("x").split(""));
  return arrays.length;
}
const weak = typeof WeakMap === "function" ? new WeakMap() : null;
const old = [];
const end = Date.now() + 1500;
let sum = 0;
for (let round = 0; Date.now() < end; round++) {
  old[round % 40] = list(3000);
  sum += strings(2000);
  if (round % 20 === 0) sum += large(3);
  if (weak) for (let i = 0; i < 500; i++) weak.set({ i: i }, old[round % 40]);
}
console.log(sum > 0);
