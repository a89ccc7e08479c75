import { hex } from "./log-writer.mjs";
import { Program, Stack } from "./program.mjs";
import { createRandom } from "./random.mjs";
import { DIALECTS, STATE, startRuntime } from "./runtime.mjs";

/**
 * @typedef {object} Workload
 * @property {number} ticks
 * @property {number} functions in the program
 * @property {number} shallowest depth of a stack, in calls
 * @property {number} meanExtra calls above that, on average
 * @property {number} recursive share of ticks deep in a recursion, 40 to 200 calls
 * @property {number} change 0 where a stack only returns as far as it must between ticks; 1: to any depth
 * @property {import("./program.mjs").Habit} habit
 * @property {number} recompileEvery ticks between recompilations, at the start; they become rarer
 */

/** Compilations after which the code range is worth compacting: the next full collection moves code. */
const MOVE_AFTER = 10;
/** Shares of ticks by VM state outside JavaScript, as counted in logs of a server under Node 24. */
const OTHER_STATES = [
  { share: 0.029, state: STATE.gc, framesToo: 0 },
  { share: 0.034, state: STATE.parser, framesToo: 1 },
  { share: 0.017, state: STATE.bytecodeCompiler, framesToo: 1 },
  { share: 0.003, state: STATE.compiler, framesToo: 1 },
  { share: 0.022, state: STATE.other, framesToo: 0.05 },
  { share: 0.004, state: STATE.external, framesToo: 0.7 },
  { share: 0.005, state: STATE.idle, framesToo: 0 },
  { share: 0.036, state: STATE.logging, framesToo: 1 },
];

/**
 * A server in Node 24: stacks of about 22 frames over 2,400 functions, of which the root half stays from
 * one tick to the next and the leaf half does not. 326,800 ticks and 120 MB.
 *
 * In the first 251,000 ticks there are 40,000 different pcs, 62,000 stacks and 174,000 nodes of a call tree by
 * address; a recording of a real server of as many ticks has 35,000, 68,000 and 149,000.
 */
export function writeDeep(log, factor) {
  const random = createRandom(24);
  const runtime = startRuntime(log, random, DIALECTS[24]);
  run(log, random, runtime, {
    ticks: Math.round(326_800 * factor),
    functions: 2400,
    shallowest: 6,
    meanExtra: 12.75,
    recursive: 0.002,
    change: 0.6,
    habit: { trunk: 4000, leaf: 10 },
    recompileEvery: 12,
  });
}

/** A small program in Node 26 that runs for more than an hour: stacks of few frames. 4.0 million ticks and 630 MB. */
export function writeShallow(log, factor) {
  const random = createRandom(26);
  const runtime = startRuntime(log, random, DIALECTS[26]);
  run(log, random, runtime, {
    ticks: Math.round(4_000_000 * factor),
    functions: 60,
    shallowest: 3,
    meanExtra: 2.16,
    recursive: 0,
    change: 0.6,
    habit: { trunk: 1e6, leaf: 200 },
    recompileEvery: 300,
  });
}

function run(log, random, runtime, workload) {
  const program = new Program(log, random, runtime, workload.functions);
  const stack = new Stack(program, random, workload.habit);
  let untilRecompile = workload.recompileEvery;
  let recompileEvery = workload.recompileEvery;
  let recompiled = 0;
  while (log.ticks < workload.ticks) {
    if (--untilRecompile <= 0) {
      program.recompile(stack.any);
      recompiled++;
      recompileEvery *= 1.002;
      untilRecompile = Math.round(recompileEvery);
    }
    const jitter = 40 + random.below(60);
    const special = chooseState(random);
    if (special === undefined) {
      moveStack(stack, random, workload);
      writeJsTick(log, random, runtime, program, stack, jitter);
      continue;
    }
    const pc = special.state === STATE.other && random.chance(0.2) ? "0x0" : runtime.nativeAddress();
    log.tick(pc, special.state, random.chance(special.framesToo) ? stack.frames : "", jitter);
    if (special.state !== STATE.gc || random.chance(0.97)) continue;
    writeChunks(log, random);
    if (recompiled < MOVE_AFTER) continue;
    program.moveCode(20);
    recompiled = 0;
  }
}

function moveStack(stack, random, workload) {
  const extra = random.chance(workload.recursive)
    ? 40 + random.below(160)
    : Math.floor(-Math.log(1 - random.unit()) * workload.meanExtra);
  const depth = workload.shallowest + extra;
  stack.returnTo(Math.floor(Math.min(stack.depth, depth) * random.unit() ** workload.change));
  stack.callTo(depth);
}

/** A tick in JavaScript: in the function on top, in a builtin it has called, or in native code it has called. */
function writeJsTick(log, random, runtime, program, stack, jitter) {
  const where = random.unit();
  if (where < 0.5) {
    log.tick(program.addressIn(stack.top), STATE.js, stack.frames, jitter);
    return;
  }
  // What the function on top has called returns to it, so its own address is a frame too.
  const callback = where > 0.85 ? stack.callback : "";
  stack.callTo(stack.depth + 1);
  const pc = where < 0.75 ? runtime.builtinAddress() : runtime.nativeAddress();
  log.tick(pc, STATE.js, callback + stack.frames, jitter);
}

/** Returns undefined for JavaScript. */
function chooseState(random) {
  let rest = random.unit();
  return OTHER_STATES.find((special) => {
    rest -= special.share;
    return rest < 0;
  });
}

/** What a full collection changes in the heap: chunks come and go. */
function writeChunks(log, random) {
  for (let i = 0; i < 6; i++) {
    log.row(`delete,MemoryChunk,${hex(0x8500000 + random.below(0x40000) * 16)}`);
    log.row(`new,MemoryChunk,${hex(0x1f9800000000 + random.below(0x10000) * 0x40000)},262144`);
  }
}
