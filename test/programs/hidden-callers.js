// Functions that each do one kind of work that V8 leaves to builtins, with a caller each. Most of these builtins
// have no frame of their own, so that the sampler skips the function. The others call functions of the program.
"use strict";

const shapes = Array.from({ length: 24 }, (_, i) =>
  Object.defineProperty({ [`p${i}`]: i, value: i }, "got", { get: trap }),
);
const words = Array.from({ length: 16 }, (_, i) => `word number ${i} of some`);
const numbers = Array.from({ length: 60 }, (_, i) => (i * 7919) % 101);
const functions = Array.from({ length: 24 }, (_, i) => new Function("x", `return (x + ${i}) & 3;`));
const proxy = new Proxy({}, { get: trap });
const counted = new Set(numbers);
let kept;

function trap() {
  return 1;
}

function isOdd(x) {
  return (x & 1) === 1;
}

function byValue(a, b) {
  return a - b;
}

function Point(x) {
  this.x = x;
}

// Work without calls of the program's functions.
function loads(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += shapes[i % 24].value;
  return sum;
}

function stores(n) {
  for (let i = 0; i < n; i++) shapes[i % 24].value = i;
}

function joins(n) {
  let length = 0;
  for (let i = 0; i < n; i++) {
    kept = words[i & 15] + words[(i + 3) & 15];
    length += kept.length;
  }
  return length;
}

function compares(n) {
  let equal = 0;
  for (let i = 0; i < n; i++) if (words[i & 15] < words[(i + 1) & 15]) equal++;
  return equal;
}

function looks(n) {
  let found = 0;
  for (let i = 0; i < n; i++) if (counted.has(i & 255)) found++;
  return found;
}

function calls(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += functions[i % 24](i);
  return sum;
}

// Work in builtins that call functions of the program.
function filters(n) {
  for (let i = 0; i < n; i += 50) kept = numbers.filter(isOdd);
}

function sorts(n) {
  for (let i = 0; i < n; i += 100) kept = numbers.slice().sort(byValue);
}

function getters(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += shapes[i % 24].got;
  return sum;
}

function traps(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += proxy.value;
  return sum;
}

function constructs(n) {
  for (let i = 0; i < n; i++) kept = new Point(i);
}

// Each in a function of its own: a caller is inferred only where a place calls one function.
const ROUNDS = 20;
const DRIVERS = {
  loads: (n) => {
    for (let i = 0; i < ROUNDS; i++) loads(n);
  },
  stores: (n) => {
    for (let i = 0; i < ROUNDS; i++) stores(n);
  },
  joins: (n) => {
    for (let i = 0; i < ROUNDS; i++) joins(n);
  },
  compares: (n) => {
    for (let i = 0; i < ROUNDS; i++) compares(n);
  },
  looks: (n) => {
    for (let i = 0; i < ROUNDS; i++) looks(n);
  },
  calls: (n) => {
    for (let i = 0; i < ROUNDS; i++) calls(n);
  },
  filters: (n) => {
    for (let i = 0; i < ROUNDS; i++) filters(n);
  },
  sorts: (n) => {
    for (let i = 0; i < ROUNDS; i++) sorts(n);
  },
  getters: (n) => {
    for (let i = 0; i < ROUNDS; i++) getters(n);
  },
  traps: (n) => {
    for (let i = 0; i < ROUNDS; i++) traps(n);
  },
  constructs: (n) => {
    for (let i = 0; i < ROUNDS; i++) constructs(n);
  },
};

for (const drive of Object.values(DRIVERS)) {
  for (const end = Date.now() + 120; Date.now() < end; ) drive(2000);
}
