import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { tried } from "../../src/base/errors.ts";
import { faultOf, inputOf, smallestOf } from "./cases.ts";
import type { CaseMemory, FromWorker, WorkerTask } from "./messages.ts";
import { TARGETS } from "./targets/index.ts";

// A process of its own, which goes through the cases of one target until it is told to stop, or is killed.

/** Bytes past which a new process goes on: what cases leave behind is not to be taken for what one needs. */
const ENOUGH = 500 * 2 ** 20;
/** Between two looks at the clock and the memory. */
const LOOKS = 20;

const task = JSON.parse(process.argv[2]!) as WorkerTask;
const target = TARGETS.find(({ name }) => name === task.target)!;
const known = new Set(task.known);
const progress = openSync(task.progressFile, "r+");
const mark = new Float64Array(2);

/** Tells the parent which case is tried, and that another one is: by a file, since a hanging process sends nothing. */
function note(number: number): void {
  mark[0] = number;
  mark[1] = mark[1]! + 1;
  writeSync(progress, mark, 0, 16, 0);
}

function send(message: FromWorker): Promise<void> {
  return new Promise((done) => process.send!(message, () => done()));
}

let unhandled: unknown;
process.on("unhandledRejection", (reason) => {
  unhandled = reason;
});

async function tryCase(number: number): Promise<void> {
  const input = inputOf(target, task.seed, number);
  note(number);
  let fault = await faultOf(target, input);
  if (unhandled !== undefined) {
    fault ??= { target: target.name, kind: "an unhandled rejection", message: String(unhandled) };
    unhandled = undefined;
  }
  if (fault === undefined) return;
  const found = { ...fault, number };
  if (known.has(found.kind)) {
    await send({ type: "fault", fault: found });
    return;
  }
  known.add(found.kind);
  await send({ type: "fault", fault: found, file: fileOf(input) });
  const smallest = await smallestOf(target, { seed: task.seed, ...found }, () => note(number));
  if (smallest === undefined) return;
  const again = await faultOf(target, smallest);
  const message = again?.message ?? found.message;
  await send({ type: "smallest", fault: { ...found, message }, file: fileOf(smallest) });
}

function fileOf(input: unknown): { extension: string; base64: string } {
  const { extension, bytes } = target.file(input);
  return { extension, base64: Buffer.from(bytes as Uint8Array).toString("base64") };
}

/** Begins the high-water mark of the memory anew, where the system has one; returns the memory of now, in MB. */
function beginMark(): number {
  tried(() => writeFileSync("/proc/self/clear_refs", "5"));
  return memory("VmRSS");
}

function memory(row: "VmRSS" | "VmHWM"): number {
  const status = tried(() => readFileSync("/proc/self/status", "latin1")) ?? "";
  return Number(new RegExp(`^${row}:\\s*(\\d+) kB$`, "m").exec(status)?.[1] ?? 0) / 1024;
}

let greatest: CaseMemory = { number: task.from, memory: 0 };

// What loading took, which is much on a busy machine, is not counted.
const begin = Date.now();
let number = task.from;
for (; number < task.to; number++) {
  if (number % LOOKS === 0) {
    if (task.time !== undefined && number > task.from && Date.now() - begin >= task.time) break;
    if (process.memoryUsage.rss() > ENOUGH && number > task.from) break;
  }
  // Of the first case, most is what it loads.
  const before = beginMark();
  await tryCase(number);
  const needed = Math.round(memory("VmHWM") - before);
  if (number > task.from && needed > greatest.memory) greatest = { number, memory: needed };
}
closeSync(progress);
await send({ type: "done", next: number, time: Date.now() - begin, greatest });
process.disconnect();
process.exit();
