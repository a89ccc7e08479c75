import { hex } from "./log-writer.mjs";
import { scriptSource } from "./names.mjs";
import { Program, Stack } from "./program.mjs";
import { createRandom } from "./random.mjs";
import { CODE_RANGE, DIALECTS, STATE, startRuntime } from "./runtime.mjs";

/** Every call site of a function as often as any other. */
const ANY_CALL = { trunk: 1, leaf: 1 };
/** As in an ordinary program. */
const USUAL_CALLS = { trunk: 100, leaf: 6 };
/** Code-creation rows of a burst. */
const BURST = 100_000;
/** Where the code of `churn` and `interleave` goes: past that of the program. */
const SHORT_LIVED_CODE = CODE_RANGE + 0x4000000;
/** After this many bytes short-lived code begins anew at the same addresses, on top of the old. */
const SHORT_LIVED_BYTES = 0x4000000;

/**
 * Every tick a new stack: 20 frames, the 16 nearest the leaf drawn from 2,000 functions without regard to the
 * tick before. 100,000 ticks.
 */
export function writeUnique(log, factor) {
  const random = createRandom(1);
  const program = new Program(log, random, startRuntime(log, random, DIALECTS[26]), 2000);
  const stack = new Stack(program, random, ANY_CALL);
  stack.callTo(4);
  const sites = program.functions.flatMap((code) => code.sites);
  for (let i = count(100_000, factor); i > 0; i--) {
    let frames = stack.frames;
    for (let depth = 0; depth < 16; depth++)
      frames = (sites[random.below(sites.length)]?.frames ?? "") + frames;
    log.tick(program.addressIn(random.below(2000)), STATE.js, frames, 60);
  }
}

/**
 * Many functions, and ticks in any of them with six callers of which each is any call. 100,000 functions, 200,000 ticks.
 */
export function writeFunctions(log, factor) {
  const random = createRandom(7);
  const functions = count(100_000, factor);
  const program = new Program(log, random, startRuntime(log, random, DIALECTS[26]), functions);
  const anyCall = () => {
    const { sites } = program.functions[random.below(functions)] ?? { sites: [] };
    return sites[random.below(sites.length)]?.frames ?? "";
  };
  for (let i = count(200_000, factor); i > 0; i--) {
    const frames = Array.from({ length: 6 }, anyCall).join("");
    log.tick(program.addressIn(random.below(functions)), STATE.js, frames, 60);
  }
}

/**
 * A recursion 2,000 frames deep, which returns up to 400 calls and descends again along another path
 * between ticks. V8 itself writes no more than 255 frames. 5,000 ticks.
 */
export function writeRecursion(log, factor) {
  const random = createRandom(2);
  const program = new Program(log, random, startRuntime(log, random, DIALECTS[26]), 12);
  const stack = new Stack(program, random, ANY_CALL);
  for (let i = count(5_000, factor); i > 0; i--) {
    stack.returnTo(2000 - random.below(400));
    stack.callTo(2000);
    log.tick(program.addressIn(stack.top), STATE.js, stack.frames, 60);
  }
}

/**
 * 100,000 code-creation rows between any two ticks, each on top of code of an earlier burst. Ten bursts.
 * At least one burst is written.
 */
export function writeChurn(log, factor) {
  const random = createRandom(3);
  const program = new Program(log, random, startRuntime(log, random, DIALECTS[26]), 200);
  const stack = new Stack(program, random, USUAL_CALLS);
  const create = shortLivedCode(log, random);
  for (let bursts = count(10, factor); bursts > 0; bursts--) {
    for (let i = 1; i < BURST; i++) create();
    stack.returnTo(3);
    stack.callTo(12);
    log.tick(create(), STATE.js, stack.frames, 60);
  }
}

/**
 * A code-creation row between any two ticks: nothing learned about an address may be trusted for longer
 * than a tick, unless it is known what the row has changed. 200,000 ticks.
 */
export function writeInterleave(log, factor) {
  const random = createRandom(4);
  const program = new Program(log, random, startRuntime(log, random, DIALECTS[26]), 1000);
  const stack = new Stack(program, random, USUAL_CALLS);
  const create = shortLivedCode(log, random);
  for (let i = count(200_000, factor); i > 0; i--) {
    stack.returnTo(random.below(20));
    stack.callTo(20);
    log.tick(create(), STATE.js, stack.frames, 60);
  }
}

/** One script-source row of 50 MB among 20,000 ordinary ticks. */
export function writeSource(log, factor) {
  const random = createRandom(5);
  const runtime = startRuntime(log, random, DIALECTS[26]);
  const program = new Program(log, random, runtime, 400);
  const stack = new Stack(program, random, USUAL_CALLS);
  const half = count(10_000, factor);
  const tick = () => {
    stack.returnTo(random.below(12));
    stack.callTo(12);
    log.tick(program.addressIn(stack.top), STATE.js, stack.frames, 60);
  };
  for (let i = 0; i < half; i++) tick();
  const line = scriptSource(random, 100_000);
  log.row(`script-source,${runtime.scripts.length + 1},/app/bundle.js,${line.repeat(count(500, factor))}`);
  for (let i = 0; i < half; i++) tick();
}

/** Ten million ticks at one address with one caller. */
export function writeHammer(log, factor) {
  const random = createRandom(6);
  const program = new Program(log, random, startRuntime(log, random, DIALECTS[26]), 100);
  const stack = new Stack(program, random, USUAL_CALLS);
  stack.callTo(1);
  const pc = program.addressIn(stack.top);
  for (let i = count(10_000_000, factor); i > 0; i--) log.tick(pc, STATE.js, stack.frames, 60);
}

/**
 * Code that is compiled all the time, each piece over what was there before.
 * Returns what writes the row of the next piece and answers an address in it.
 */
function shortLivedCode(log, random) {
  let created = 0;
  let offset = 0;
  return () => {
    const size = 200 + random.skewed(1400, 2);
    if (offset + size > SHORT_LIVED_BYTES) offset = random.below(16) * 64;
    const address = SHORT_LIVED_CODE + offset;
    offset += Math.ceil(size / 64) * 64;
    const name = `generated${created % BURST} evalmachine.<anonymous>:${1 + (created % 4999)}:${1 + (created % 71)}`;
    const sfi = hex(0x36e100000000 + (created % BURST) * 0x58);
    log.row(`code-creation,JS,10,${log.time},${hex(address)},${size},${name},${sfi},^`);
    created++;
    return hex(address + (size >> 1));
  };
}

function count(full, factor) {
  return Math.max(1, Math.round(full * factor));
}
