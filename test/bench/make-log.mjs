// Makes large logs for measuring: `node make-log.mjs NAME PATH [FACTOR]`. The same name and factor make the
// same log in every run under one node binary, whose own address space the native ticks lie in.
import { pathToFileURL } from "node:url";
import {
  writeChurn,
  writeFunctions,
  writeHammer,
  writeInterleave,
  writeRecursion,
  writeSource,
  writeUnique,
} from "./adversarial-logs.mjs";
import { LogWriter } from "./log-writer.mjs";
import { writeDeep, writeShallow } from "./typical-logs.mjs";

/**
 * @typedef {object} LogKind
 * @property {(log: LogWriter, factor: number) => void} write everything up to the log's last row
 * @property {string} about one line for people
 */

/** Every log that can be made, by name. */
export const LOGS = new Map([
  ["deep", { write: writeDeep, about: "120 MB, 326,800 ticks of about 22 frames, Node 24" }],
  ["shallow", { write: writeShallow, about: "630 MB, 4.0 million ticks of few frames, Node 26" }],
  ["unique", { write: writeUnique, about: "every tick a new stack of 20 frames" }],
  ["functions", { write: writeFunctions, about: "100,000 functions, each as often as any other" }],
  ["recursion", { write: writeRecursion, about: "stacks 2,000 frames deep" }],
  ["churn", { write: writeChurn, about: "100,000 code-creation rows between ticks" }],
  ["interleave", { write: writeInterleave, about: "a code-creation row between any two ticks" }],
  ["source", { write: writeSource, about: "one script-source row of 50 MB" }],
  ["hammer", { write: writeHammer, about: "one address hit ten million times" }],
]);

/**
 * Makes a log.
 * A file that is there already is replaced;
 * at a factor of 1 the ticks are those that `about` tells.
 */
export function makeLog(name, path, factor = 1) {
  const kind = LOGS.get(name);
  if (kind === undefined) throw new Error(`no log named ${name}; there are ${[...LOGS.keys()].join(", ")}`);
  const log = new LogWriter(path);
  kind.write(log, factor);
  log.end();
  return { bytes: log.bytes, ticks: log.ticks };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [name, path, factor = "1"] = process.argv.slice(2);
  if (name === undefined || path === undefined) {
    const kinds = [...LOGS].map(([key, { about }]) => `  ${key.padEnd(11)}${about}`).join("\n");
    console.error(`usage: make-log.mjs NAME PATH [FACTOR]\n${kinds}`);
    process.exitCode = 2;
  } else {
    const { bytes, ticks } = makeLog(name, path, Number(factor));
    console.error(`${path}: ${(bytes / 1e6).toFixed(1)} MB, ${ticks} ticks`);
  }
}
