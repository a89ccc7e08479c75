import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Fault, faultOf, inputOf } from "./cases.ts";
import type { CaseFile, CaseMemory, FromWorker } from "./messages.ts";
import type { Target } from "./target.ts";
import { TARGETS } from "./targets/index.ts";
import { runWorker } from "./watched-worker.ts";

const USAGE = `Usage: npm run fuzz -- [options]

  --seconds N    how long, over all targets (default: 60)
  --cases N      how many cases of each target, in place of a time
  --target NAME  only this target; repeatable
  --seed N       what the cases are made from (default: another one each time)
  --case N       only the case of this number, here: its error is shown with its stack
  --out DIR      where failing cases are written (default: fuzz-faults)

Targets:
${TARGETS.map(({ name, about }) => `  ${name.padEnd(12)} ${about}`).join("\n")}
`;

/** What came of one target. */
interface Result {
  readonly target: Target;
  cases: number;
  milliseconds: number;
  /** Of the cases after the first of each process. */
  greatest: CaseMemory;
  /** How often each kind of fault came up, and the first of them. */
  readonly faults: Map<string, { count: number; first: Fault; file: string | undefined }>;
}

interface Options {
  readonly seed: number;
  readonly cases: number | undefined;
  readonly seconds: number;
  readonly out: string;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string" },
      cases: { type: "string" },
      target: { type: "string", multiple: true },
      seed: { type: "string" },
      case: { type: "string" },
      out: { type: "string", default: "fuzz-faults" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const targets = TARGETS.filter(({ name }) => values.target?.includes(name) ?? true);
  const unknown = values.target?.find((wanted) => !TARGETS.some(({ name }) => name === wanted));
  if (unknown !== undefined) throw new Error(`no target is called ${unknown}\n${USAGE}`);
  const seed = numberOf("--seed", values.seed) ?? Date.now() % 2 ** 31;
  const one = numberOf("--case", values.case);
  if (one !== undefined) return tryOne(targets, seed, one);
  const cases = numberOf("--cases", values.cases);
  const seconds = numberOf("--seconds", values.seconds) ?? 60;
  console.log(`seed ${seed}`);
  const results: Result[] = [];
  for (const target of targets) {
    const result = await fuzz(target, { seed, cases, seconds: seconds / targets.length, out: values.out });
    console.log(lineOf(result));
    for (const [kind, { count, first, file }] of result.faults) {
      console.log(`  ${count} × ${kind}`);
      console.log(`    first: npm run fuzz -- --target ${target.name} --seed ${seed} --case ${first.number}`);
      if (file !== undefined) console.log(`    input: ${file}`);
      console.log(`    ${first.message.split("\n").slice(0, 6).join("\n    ")}`);
    }
    results.push(result);
  }
  const sum = results.reduce((all, result) => all + result.cases, 0);
  const idle = results.filter(({ cases }) => cases === 0).map(({ target }) => target.name);
  const kinds = results.reduce((all, { faults }) => all + faults.size, 0);
  console.log(`${sum} cases, ${kinds} kinds of faults`);
  if (idle.length > 0) console.log(`nothing was tried: ${idle.join(", ")}`);
  return kinds > 0 || idle.length > 0 ? 1 : 0;
}

function numberOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw new Error(`${option} ${text}: not a whole number`);
  return Number(text);
}

async function fuzz(target: Target, { seed, cases, seconds, out }: Options): Promise<Result> {
  const result: Result = {
    target,
    cases: 0,
    milliseconds: 0,
    greatest: { number: 0, memory: 0 },
    faults: new Map(),
  };
  const begin = Date.now();
  /** What is left of the time. */
  let left = cases === undefined ? 1000 * seconds : Number.POSITIVE_INFINITY;
  const to = cases ?? Number.MAX_SAFE_INTEGER;
  const onMessage = (message: FromWorker) => {
    if (message.type === "done") return;
    const { fault, file } = message;
    const known = result.faults.get(fault.kind);
    const path = file && save(out, fault, file);
    if (known === undefined) result.faults.set(fault.kind, { count: 1, first: fault, file: path });
    else if (message.type === "fault") known.count++;
    else result.faults.set(fault.kind, { ...known, first: fault, file: path });
  };
  let from = 0;
  while (from < to && left > 0) {
    const known = Array.from(result.faults.keys());
    const time = Number.isFinite(left) ? left : undefined;
    const started = Date.now();
    const end = await runWorker({ target: target.name, seed, from, to, time, known }, onMessage);
    left -= end.kind === "done" ? end.time : Date.now() - started;
    if (end.kind === "done") {
      from = end.next;
      if (end.greatest.memory > result.greatest.memory) result.greatest = end.greatest;
      continue;
    }
    const { kind, number, message } = end;
    const { extension, bytes } = target.file(inputOf(target, seed, number));
    const file = { extension, base64: Buffer.from(bytes as Uint8Array).toString("base64") };
    onMessage({ type: "fault", fault: { target: target.name, number, kind: KINDS[kind], message }, file });
    from = number + 1;
  }
  result.cases = from;
  result.milliseconds = Date.now() - begin;
  return result;
}

const KINDS = { hang: "it hangs", memory: "it takes more than 1 GB", crash: "the process ends" };

/** Writes a failing case, over a larger one of its kind; returns the path. */
function save(folder: string, { target, kind }: Fault, { extension, base64 }: CaseFile): string {
  mkdirSync(folder, { recursive: true });
  const words = kind.replace(/[^a-zA-Z]+/g, "-").slice(0, 60);
  const path = join(folder, `${target}-${words}.${extension}`);
  writeFileSync(path, Buffer.from(base64, "base64"));
  return path;
}

function lineOf({ target, cases, milliseconds, greatest, faults }: Result): string {
  const speed = Math.round((1000 * cases) / Math.max(1, milliseconds));
  const seconds = (milliseconds / 1000).toFixed(1);
  return `${target.name.padEnd(12)} ${String(cases).padStart(8)} cases in ${seconds.padStart(6)} s, ${String(speed).padStart(5)}/s, ${faults.size} kinds of faults, ${greatest.memory} MB at most (case ${greatest.number})`;
}

/** Tries one case in this process, where a debugger sees it. */
async function tryOne(targets: readonly Target[], seed: number, number: number): Promise<number> {
  let status = 0;
  for (const target of targets) {
    const fault = await faultOf(target, inputOf(target, seed, number));
    console.log(`${target.name}: ${fault === undefined ? "it passes" : fault.message}`);
    if (fault !== undefined) status = 1;
  }
  return status;
}

// What a target leaves open, as a worker thread, is not waited for.
process.exit(await main());
