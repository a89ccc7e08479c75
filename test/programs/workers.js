// Worker threads, two of them busy beside the main thread, with Atomics.wait and messages.
"use strict";
const { Worker, isMainThread, parentPort, workerData } = require("worker_threads");

function burn(milliseconds, name) {
  const end = Date.now() + milliseconds;
  let t = 0;
  while (Date.now() < end) t = (t + name.length * Math.random()) % 1000;
  return t;
}
function burnInMain() {
  return burn(800, "main");
}
function burnInWorker() {
  return burn(800, `worker ${workerData.number}`);
}

if (isMainThread) {
  const shared = new SharedArrayBuffer(8);
  for (const number of [1, 2]) {
    const worker = new Worker(__filename, { workerData: { number, shared } });
    worker.on("message", (message) => console.log(message.number));
  }
  setTimeout(burnInMain, 50);
} else {
  burnInWorker();
  Atomics.wait(new Int32Array(workerData.shared), 0, 0, 200);
  for (let i = 0; i < 100; i++)
    parentPort.postMessage({ number: workerData.number, list: new Array(100).fill(i) });
}
