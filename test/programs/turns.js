// Holds the event loop for known times and writes what each callback really took: node turns.js blocks|quiet FILE
const began = require("perf_hooks").performance.now();
const { performance, monitorEventLoopDelay } = require("perf_hooks");
const fs = require("fs");
const http = require("http");
const { Worker, isMainThread, parentPort, workerData } = require("worker_threads");

const [mode, file, scale = "1"] = isMainThread
  ? process.argv.slice(2)
  : [workerData.mode, workerData.file, "1"];
const truth = [];
const blocks = [5, 12, 30, 60, 120, 250, 500];
const delay = monitorEventLoopDelay({ resolution: 1 });

function spin(ms) {
  const end = performance.now() + ms;
  let sum = 0;
  while (performance.now() < end) for (let i = 0; i < 500; i++) sum += Math.sqrt(i);
  return sum;
}

function allocate(ms) {
  const end = performance.now() + ms;
  let kept = [];
  while (performance.now() < end) {
    for (let i = 0; i < 2000; i++) kept.push({ i, text: `text ${i}`, next: kept[i] });
    if (kept.length > 200000) kept = [];
  }
  return kept.length;
}

/** Makes a callback do its work and note when. */
function timed(name, ms, work = spin) {
  const start = performance.now();
  work(ms);
  truth.push([name, ms, start, performance.now()]);
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const turn = () => new Promise((resolve) => setImmediate(resolve));

function withServer(run) {
  return new Promise((resolve, reject) => {
    const server = http.createServer(function onRequest(request, response) {
      timed("onRequest", Number(request.url.slice(1)), (ms) => {
        spin(ms);
        response.end("done");
      });
    });
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      const get = (ms) =>
        new Promise((done) => {
          http.get({ port, host: "127.0.0.1", path: `/${ms}` }, (response) => {
            response.resume();
            response.on("end", done);
          });
        });
      run(get).then(() => server.close(resolve), reject);
    });
  });
}

function withWorker(run) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(__filename, { workerData: { mode: "worker", file: `${file}.worker` } });
    const ask = (ms) =>
      new Promise((done) => {
        worker.once("message", done);
        worker.postMessage(ms);
      });
    worker.on("error", reject);
    run(ask, worker).then(() => {
      worker.once("exit", resolve);
      worker.postMessage("end");
    }, reject);
  });
}

async function planted() {
  for (const ms of blocks) {
    await sleep(30);
    await new Promise((resolve) => {
      setTimeout(function onTimer() {
        timed("onTimer", ms);
        resolve();
      }, 20);
    });
    await sleep(30);
    await Promise.resolve().then(function onPromise() {
      timed("onPromise", ms);
    });
    await sleep(30);
    await new Promise((resolve) => {
      fs.readFile(__filename, function onFile() {
        timed("onFile", ms);
        resolve();
      });
    });
    await sleep(30);
    await new Promise((resolve) => {
      setTimeout(function onGarbage() {
        timed("onGarbage", ms, allocate);
        resolve();
      }, 20);
    });
  }
  await new Promise((resolve) => {
    let left = 6;
    const interval = setInterval(function onSweep() {
      timed("onSweep", 80);
      if (--left > 0) return;
      clearInterval(interval);
      resolve();
    }, 300);
  });
  await withServer(async (get) => {
    for (const ms of blocks) {
      await sleep(30);
      await get(ms);
    }
  });
  await withWorker(async (ask) => {
    for (const ms of blocks) {
      await sleep(30);
      await ask(ms);
    }
  });
}

/** Many short callbacks, of which none takes long. */
async function short() {
  const times = 30 * Number(scale);
  for (let i = 0; i < times; i++)
    await new Promise((resolve) => setTimeout(() => resolve(timed("timeout", 2)), 1));
  await sleep(20);
  for (let i = 0; i < times; i++) {
    timed("chunk", 4);
    await turn();
  }
  await sleep(20);
  await new Promise((resolve) => {
    let left = times;
    setImmediate(function onImmediate() {
      timed("onImmediate", 4);
      if (--left > 0) setImmediate(onImmediate);
      else resolve();
    });
  });
  await sleep(20);
  await new Promise((resolve) => {
    let left = times;
    const interval = setInterval(function onInterval() {
      timed("onInterval", 3);
      if (--left > 0) return;
      clearInterval(interval);
      resolve();
    }, 1);
  });
  await sleep(20);
  await Promise.all(
    Array.from(
      { length: times },
      () =>
        new Promise((resolve) => {
          fs.readFile(__filename, function onFile() {
            timed("onFile", 3);
            resolve();
          });
        }),
    ),
  );
  await withServer(async (get) => {
    await sleep(20);
    await Promise.all(Array.from({ length: times }, (_, i) => get(i % 10 === 0 ? 10 : 2)));
  });
  await withWorker(async (ask, worker) => {
    worker.setMaxListeners(0);
    await Promise.all(Array.from({ length: times }, () => ask(3)));
  });
}

if (!isMainThread) {
  parentPort.on("message", function onMessage(ms) {
    if (ms === "end") {
      fs.writeFileSync(file, JSON.stringify({ truth, load: [began, loaded] }));
      parentPort.close();
      return;
    }
    timed("onMessage", ms);
    parentPort.postMessage(ms);
  });
} else {
  spin(70);
  delay.enable();
  (mode === "blocks" ? planted() : short()).then(() => {
    delay.disable();
    fs.writeFileSync(file, JSON.stringify({ truth, load: [began, loaded], delay: delay.max / 1e6 }));
  });
}
const loaded = performance.now();
