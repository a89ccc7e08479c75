// Gives all jobs to the first of its workers.
const { Worker, isMainThread, parentPort } = require("node:worker_threads");

if (isMainThread) {
  const workers = [0, 1, 2].map(() => new Worker(__filename));
  let left = 60;
  const give = () => workers[0].postMessage({ size: 30000 });
  workers[0].on("message", () => {
    if (--left > 0) give();
    else for (const worker of workers) worker.terminate();
  });
  give();
} else {
  parentPort.on("message", ({ size }) => {
    let sum = 0;
    for (let i = 2; i < size; i++) for (let k = 2; k * k <= i; k++) if (i % k === 0) sum += k;
    parentPort.postMessage(sum);
  });
}
