// Promises, async functions, async iteration, microtasks, setImmediate and nextTick, EventEmitter, streams.
"use strict";
const { EventEmitter } = require("events");
const { PassThrough } = require("stream");

const end = Date.now() + 1500;
const emitter = new EventEmitter();
let sum = 0;
emitter.on("value", function onValue(value) {
  for (let i = 0; i < 100; i++) sum = (sum + value * i) % 1000003;
});

async function step(n) {
  await null;
  emitter.emit("value", n);
  return Promise.all([n, n + 1, Promise.resolve(n + 2)].map(async (value) => (await value) * 2));
}

async function* count(n) {
  for (let i = 0; i < n; i++) {
    await undefined;
    yield i;
  }
}

async function pump() {
  const stream = new PassThrough();
  let bytes = 0;
  stream.on("data", (chunk) => {
    bytes += chunk.length;
  });
  for (let i = 0; i < 200; i++) stream.write("some text ".repeat(20));
  stream.end();
  await new Promise((resolve) => stream.on("end", resolve));
  return bytes;
}

async function main() {
  while (Date.now() < end) {
    for await (const n of count(300)) sum += (await step(n)).length;
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => process.nextTick(resolve));
    sum += await pump();
    try {
      await Promise.reject(new Error("expected"));
    } catch (error) {
      sum += error.message.length;
    }
  }
  console.log(sum > 0);
}
main();
