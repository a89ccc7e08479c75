import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Programs to record, as the tests of `ticks record` and `npm run test:record` use them. Each prints what it saw. */
export const PROGRAMS: Readonly<Record<string, string>> = {
  "work.cjs": `
// Some ticks.
module.exports = (milliseconds) => {
  const end = Date.now() + milliseconds;
  let sum = 0;
  while (Date.now() < end) sum += Math.sqrt(sum + 1);
  return sum;
};`,
  "package.json": `{ "name": "tree", "version": "1.0.0", "scripts": { "tree": "sh tree.sh" } }`,
  "tree.sh": `
echo shell
node main.cjs "two words" '*'
echo "main ended with $?"
printf 'through a pipe' | node -e 'process.stdin.on("data", (text) => console.log("piped:", String(text)))'
./script.cjs --flag
exit 3`,
  "script.cjs": `#!/usr/bin/env node
console.log("script", process.argv.slice(2), process.execArgv);`,
  "main.cjs": `
const { exec, execFileSync, fork, spawn } = require("child_process");
const { join } = require("path");
const work = require("./work.cjs");
const file = (name) => join(__dirname, name);
console.log("main", process.argv.slice(2), process.execArgv);
const ended = (name, child, done) => child.on("close", (...how) => { console.log(name, "ended", ...how); done(); });
const steps = [
  (done) => {
    let threads;
    try { threads = require("worker_threads"); } catch { return done(); }
    const code = "console.log('worker', process.execArgv); require(" + JSON.stringify(file("work.cjs")) + ")(20)";
    new threads.Worker(code, { eval: true, execArgv: process.execArgv }).on("exit", done);
  },
  (done) => {
    const child = fork(file("child.cjs"), ["forked"]);
    child.on("message", (message) => { console.log("parent got", message); child.send("end"); });
    child.send({ list: [1, 2] });
    ended("fork", child, done);
  },
  (done) => {
    const child = spawn("node", [file("child.cjs"), "spawned"], { stdio: "inherit", env: { PATH: process.env.PATH } });
    console.log(child.spawnargs.slice(2));
    ended("spawn", child, done);
  },
  (done) => {
    const child = spawn(process.execPath, ["child.cjs", "piped"], { cwd: __dirname, stdio: ["pipe", "pipe", "inherit", "pipe"], env: {} });
    const texts = ["", ""];
    child.stdout.on("data", (text) => { texts[0] += text; });
    child.stdio[3].on("data", (text) => { texts[1] += text; });
    child.stdin.end("input");
    ended("path", child, () => { console.log(texts); done(); });
  },
  (done) => { console.log("sync", String(execFileSync(process.execPath, ["-p", "process.execArgv"]))); done(); },
  (done) => exec("exit 5", (error) => { console.log("exec", error.code); done(); }),
  (done) => ended("esm", fork(file("esm.mjs")), done),
  (done) => ended("cluster", fork(file("cluster.cjs")), done),
];
// Node 10 and 11 have no modules without a flag.
if (/^v1[01]\\./.test(process.version)) steps.splice(6, 1);
const next = () => { work(10); const step = steps.shift(); if (step) step(next); };
next();`,
  "child.cjs": `
require("./work.cjs")(20);
console.log("child", process.argv.slice(2), process.execArgv);
if (process.argv[2] === "spawned") process.kill(process.pid, "SIGTERM");
if (process.argv[2] === "piped") {
  process.stdin.on("data", (text) => console.log("read", String(text)));
  require("fs").writeSync(3, "through 3");
  process.exitCode = 7;
}
if (process.send) process.on("message", (message) => {
  console.log("child got", message);
  if (message === "end") process.exit(4);
  process.send({ answer: message.list.length });
});`,
  "esm.mjs": `
import { execFileSync } from "child_process";
console.log("esm", String(execFileSync("node", ["-p", "'of a module'"])).trim());`,
  "cluster.cjs": `
const cluster = require("cluster");
const http = require("http");
if (cluster.isMaster) {
  let listening = 0;
  let gone = 0;
  for (let i = 0; i < 4; i++) cluster.fork();
  cluster.on("listening", (_, { port }) => {
    if (++listening < 4) return;
    http.get({ port, agent: false }, (response) => {
      response.resume().on("end", () => {
        console.log("served", response.statusCode);
        for (const id in cluster.workers) cluster.workers[id].send("stop");
      });
    });
  });
  cluster.on("exit", () => { if (++gone === 4) console.log("cluster done"); });
} else {
  http.createServer((_, response) => { require("./work.cjs")(10); response.end(); }).listen(0, "127.0.0.1");
  process.on("message", (message) => { if (message === "stop") process.exit(0); });
}`,
  // Says what it got from the process that started it: arguments, input, messages, an open file.
  "echo.cjs": `
const fs = require("fs");
console.log(process.argv.slice(2), process.execArgv);
process.stdin.on("data", (text) => console.log("input", String(text)));
if (process.send) {
  fs.writeSync(4, "through 4");
  process.on("message", (message) => {
    console.log(message);
    process.send({ back: message });
    process.disconnect();
  });
}
process.exitCode = 6;`,
  "server.cjs": `
require("http").createServer((_, response) => { require("./work.cjs")(20); response.end("x"); }).listen(0, () => console.log("it is listening"));`,
  // Makes so many arrays of 100 elements in itself, a worker and a child: each takes 848 bytes, and is garbage as soon as the next one is made.
  "allocate.cjs": `
const { isMainThread, Worker } = require("node:worker_threads");
const [count, isChild] = process.argv.slice(2);
(function make() { for (let i = 0; i < Number(count); i++) globalThis.last = new Array(100).fill(i); })();
if (isMainThread && isChild === undefined) {
  new Worker(__filename, { name: "one", argv: [count] });
  require("node:child_process").fork(__filename, [count, "child"]);
}`,
  // Works in itself and in a worker.
  "spin.cjs": `
const spin = (ms) => { let x = 0; for (const end = Date.now() + ms; Date.now() < end;) x += Math.sqrt(x + 1); };
const { Worker, isMainThread } = require("node:worker_threads");
spin(60);
if (isMainThread) new Worker(__filename);`,
  // Ends as its argument says, after some work.
  "end.cjs": `
require("./work.cjs")(20);
const [how] = process.argv.slice(2);
if (how === "loop") { console.log("looping"); for (;;) require("./work.cjs")(1000); }
if (how === "throw") throw new Error("thrown");
if (/^SIG/.test(how)) process.kill(process.pid, how);
else process.exit(Number(how));`,
};

/** Writes the programs into a folder, with a folder `bin` where `node` is this Node. Returns the path of that folder. */
export function writePrograms(folder: string, node: string = process.execPath): string {
  for (const [name, text] of Object.entries(PROGRAMS)) {
    writeFileSync(join(folder, name), text.trimStart(), { mode: 0o755 });
  }
  const bin = join(folder, "bin");
  mkdirSync(bin);
  symlinkSync(node, join(bin, "node"));
  return dirname(join(bin, "node"));
}
