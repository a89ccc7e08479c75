// Five sites that see eight shapes of objects each, and one that sees a single shape: what `ticks ics` must tell apart.
// node ics.js [MILLISECONDS FOR EACH] [fixed]: `fixed` gives all objects one shape.
"use strict";
const SHAPES = 8;
const KEYS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"];

class Item {
  constructor(shape) {
    if (process.argv[3] === "fixed") for (const key of KEYS) this[key] = undefined;
    this[KEYS[shape]] = shape;
    this.price = shape + 1;
  }
}

class Order {
  constructor(item) {
    this.item = item;
  }
  get cost() {
    return this.item.price;
  }
}

const items = Array.from({ length: 64 }, (_, i) => new Item(i % SHAPES));
const same = Array.from({ length: 64 }, () => new Item(0));
const orders = items.map((item) => new Order(item));

function property(list) {
  let sum = 0;
  for (let i = 0; i < list.length; i++) {
    sum += list[i].price;
  }
  return sum;
}

function element(list) {
  let sum = 0;
  for (let i = 0; i < list.length; i++) {
    const key = KEYS[i & 7];
    sum += list[i][key] | 0;
  }
  return sum;
}

function store(list) {
  for (let i = 0; i < list.length; i++) {
    list[i].price = i;
  }
  return list.length;
}

function throughGetter(list) {
  let sum = 0;
  for (let i = 0; i < list.length; i++) {
    sum += list[i].cost;
  }
  return sum;
}

function priceOf(item) {
  return item.price;
}

function inlined(list) {
  let sum = 0;
  for (let i = 0; i < list.length; i++) {
    sum += priceOf(list[i]);
  }
  return sum;
}

function monomorphic(list) {
  let sum = 0;
  for (let i = 0; i < list.length; i++) {
    sum += list[i].price;
  }
  return sum;
}

// Each has a loop of its own, so that the stacks tell them apart.
function runProperty(until) {
  let sum = 0;
  while (Date.now() < until) for (let i = 0; i < 50; i++) sum += property(items);
  return sum;
}

function runElement(until) {
  let sum = 0;
  while (Date.now() < until) for (let i = 0; i < 50; i++) sum += element(items);
  return sum;
}

function runStore(until) {
  let sum = 0;
  while (Date.now() < until) for (let i = 0; i < 50; i++) sum += store(items);
  return sum;
}

function runGetter(until) {
  let sum = 0;
  while (Date.now() < until) for (let i = 0; i < 50; i++) sum += throughGetter(orders);
  return sum;
}

function runInlined(until) {
  let sum = 0;
  while (Date.now() < until) for (let i = 0; i < 50; i++) sum += inlined(items);
  return sum;
}

function runMonomorphic(until) {
  let sum = 0;
  while (Date.now() < until) for (let i = 0; i < 50; i++) sum += monomorphic(same);
  return sum;
}

const time = Number(process.argv[2] || 300);
let sum = 0;
sum += runProperty(Date.now() + time);
sum += runElement(Date.now() + time);
sum += runStore(Date.now() + time);
sum += runGetter(Date.now() + time);
sum += runInlined(Date.now() + time);
sum += runMonomorphic(Date.now() + time);
sum += monomorphic(items); // V8 has optimized it for one shape.
console.log(sum);
