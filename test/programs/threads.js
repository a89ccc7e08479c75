// One process with a worker thread, and a child of a cluster: three logs, of which the child's has its PID twice.
"use strict";
const cluster = require("cluster");
const { Worker, isMainThread } = require("worker_threads");

function burn(milliseconds) {
  const end = Date.now() + milliseconds;
  let t = 0;
  while (Date.now() < end) for (let i = 0; i < 1e5; i++) t = (t * 31 + i) >>> 0;
  return t;
}
function burnInMain() {
  return burn(200);
}
function burnInWorker() {
  return burn(200);
}
function burnInChild() {
  return burn(100);
}

if (!isMainThread) burnInWorker();
else if (cluster.isMaster) {
  new Worker(__filename).on("exit", function onExit() {
    cluster.fork().on("exit", burnInMain);
  });
} else {
  burnInChild();
  process.exit(0);
}
