// Calls on lines of their own in code of Sparkplug: in loops, closures, methods, and where names say nothing.
"use strict";
const { pbkdf2Sync } = require("crypto");

function burn(seed, count) {
  let x = seed | 1;
  for (let i = 0; i < count; i++) x = (x * 1103515245 + 12345) & 0x7fffffff;
  return x & 7;
}
function parse(text) {
  return burn(text.length, 3000);
}
function check(value) {
  return burn(value, 2000);
}
class Store {
  put(value) {
    this.value = burn(value, 1000);
    return this;
  }
}
const store = new Store();

function hash(password, salt) {
  const user = parse(password);
  const key = pbkdf2Sync(password, salt, 200, 64, "sha512");
  if (key.length !== 64) throw new Error("key");
  return user + key[0];
}

function handle(request) {
  let sum = 0;
  for (const part of [request, request + 1]) {
    sum += parse("part" + part);
    sum += check(part);
  }
  store.put(sum).put(sum + 1);
  try {
    sum += hash("password", "salt");
  } finally {
    sum += check(sum);
  }
  return sum;
}

// What a parameter calls is not known from its name.
function twice(first, second) {
  first(1);
  return second(2);
}

const end = Date.now() + (+process.argv[2] || 1000);
let total = 0;
while (Date.now() < end) {
  total += handle(total & 3);
  total += twice(check, store.put.bind(store)).value;
}
console.log(total > 0);
