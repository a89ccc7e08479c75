// A small program whose functions are members of prototypes, classes and objects, as a minifier renames them.
"use strict";

function Reader(text) {
  this.text = text;
  this.at = 0;
}

const reading = Reader.prototype;

reading.peek = function () {
  return this.at < this.text.length ? this.text.charCodeAt(this.at) : -1;
};

reading.word = function () {
  const start = this.at;
  while (this.peek() > 32) this.at++;
  while (this.peek() >= 0 && this.peek() <= 32) this.at++;
  return this.text.slice(start, this.at);
};

const scales = {
  weigh: function (word) {
    let weight = 0;
    for (let i = 0; i < word.length; i++) weight = (weight * 31 + word.charCodeAt(i)) | 0;
    return weight;
  },
};

class Counter {
  constructor() {
    this.counts = new Map();
  }
  count(word) {
    this.counts.set(word, (this.counts.get(word) ?? 0) + scales.weigh(word));
  }
  sum() {
    let sum = 0;
    for (const count of this.counts.values()) sum = (sum + count) | 0;
    return sum;
  }
}

function sorted(words) {
  return words.slice().sort((a, b) => (a < b ? 1 : -1));
}

function main() {
  const text = Array.from({ length: 4000 }, (_, i) => `word${(i * 7919) % 601}`).join(" ");
  let result = 0;
  for (let round = 0; round < 700; round++) {
    const reader = new Reader(text);
    const counter = new Counter();
    const words = [];
    while (reader.peek() >= 0) words.push(reader.word());
    for (const word of words) counter.count(word);
    result = (result + counter.sum() + sorted(words).length) | 0;
  }
  console.log(result);
}

main();
