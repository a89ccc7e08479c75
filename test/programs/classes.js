// Classes, accessors, inheritance, generators, destructuring, spread, tagged templates, closures.
"use strict";
class Shape {
  constructor(size) {
    this.size = size;
  }
  get area() {
    return 0;
  }
  static of(n) {
    return n % 3 ? new Square(n) : new Circle(n);
  }
}
class Square extends Shape {
  get area() {
    return super.area + this.size * this.size;
  }
}
class Circle extends Shape {
  get area() {
    return super.area + Math.PI * this.size * this.size;
  }
}
class Bag {
  constructor(items) {
    this.items = items;
  }
  *[Symbol.iterator]() {
    for (const item of this.items) yield item;
  }
}
function* take(iterable, n) {
  for (const item of iterable) {
    if (n-- <= 0) return;
    yield item;
  }
}
function join(strings, ...values) {
  return strings.reduce((text, part, i) => text + values[i - 1] + part);
}
function total(...shapes) {
  return shapes.map(({ area }) => area).reduce((a, b) => a + b, 0);
}
const adders = [1, 2, 3].map((n) => (m) => n + m);
const end = Date.now() + 1200;
let result = 0;
while (Date.now() < end) {
  const shapes = [];
  for (let i = 0; i < 300; i++) shapes.push(Shape.of(i));
  result += total(...take(new Bag(shapes), 250));
  for (const add of adders) for (let i = 0; i < 1000; i++) result = add(result) % 1e9;
  result += join`${result}-${shapes.length}`.length;
}
console.log(result > 0);
