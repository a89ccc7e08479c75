import { hex } from "./log-writer.mjs";
import { functionName } from "./names.mjs";
import { CODE_RANGE, HEAT } from "./runtime.mjs";

/**
 * A place in a function where it calls another.
 *
 * @typedef {object} CallSite
 * @property {number} callee index of a function
 * @property {number} position of the return address in the caller's code, as a share of its size
 * @property {string} through a builtin's frame between caller and callee (`Array.prototype.map`), or empty
 * @property {string} frames what a stack gains by the call: the builtin's and the caller's return addresses
 */

/**
 * @typedef {object} JsFunction
 * @property {string} identity the name, sfi fields of its code-creation rows
 * @property {number} script
 * @property {number} source where its source begins
 * @property {number} address of the code it runs now: bytecode at first
 * @property {number} size
 * @property {number} tier 0 Ignition, 1 Sparkplug, then the dialect's optimized tiers
 * @property {string} callback frame of the native function that it calls, with a comma before it
 * @property {CallSite[]} sites the most frequent first
 */

/**
 * How much more often the first call sites of a function are taken than its others (see Random.skewed).
 *
 * @typedef {object} Habit
 * @property {number} trunk in the calls that lead to where the work is: high, for these seldom vary
 * @property {number} leaf in the last calls of a stack, where they vary most
 */

/** Calls at the end of a stack to which a habit's `leaf` applies. */
const LEAF_CALLS = 2;
const BYTECODE_HEAP = 0x242dc8540000;
const SFI_HEAP = 0x824f5140000;

/**
 * The JavaScript of a made-up program: functions that call each other, get compiled, optimized and moved.
 * Every change is written to the log at once, so that a tick written next may show it.
 */
export class Program {
  functions = [];
  #log;
  #random;
  #runtime;
  #nextBytecode = BYTECODE_HEAP;
  #nextCode = CODE_RANGE + 0x40;

  constructor(log, random, runtime, functionCount) {
    this.#log = log;
    this.#random = random;
    this.#runtime = runtime;
    for (let i = 0; i < functionCount; i++) this.functions.push(this.#compile(i, functionCount));
  }

  /** V8 compiles a function with the next better compiler, or throws its optimized code away. */
  recompile(index) {
    const { dialect } = this.#runtime;
    const code = this.#functionAt(index);
    const best = dialect.optimizedTiers.length + 1;
    const deoptimized = code.tier > 1 && this.#random.chance(0.04);
    if (code.tier === best && !deoptimized) return;
    code.tier = deoptimized ? 1 : code.tier + 1;
    const tier = code.tier === 1 ? "^" : dialect.optimizedTiers[code.tier - 2];
    code.size = 200 + this.#random.skewed(code.tier === 1 ? 2400 : 5200, 2);
    code.address = this.#allocateCode(code.size);
    this.#writeCreation(code, 10 + Number(code.tier > 1), tier ?? "*");
    this.#placeSites(code);
  }

  /** The garbage collector moves machine code together. */
  moveCode(count) {
    const first = this.#random.below(this.functions.length);
    for (let i = 0; i < count; i++) {
      const code = this.#functionAt((first + i) % this.functions.length);
      if (code.tier === 0) continue;
      const to = this.#allocateCode(code.size);
      this.#log.row(`code-move,${hex(code.address)},${hex(to)}`);
      code.address = to;
      this.#placeSites(code);
    }
  }

  /** An address in a function's present code, near its hottest spot more often than not. */
  addressIn(index) {
    const code = this.#functionAt(index);
    return hex(code.address + this.#random.skewed(code.size, HEAT));
  }

  #compile(index, functionCount) {
    const random = this.#random;
    const script = random.below(this.#runtime.scripts.length);
    const position = `${1 + random.below(1200)}:${1 + random.below(60)}`;
    const name = `${functionName(index)} ${this.#runtime.scripts[script]}:${position}`;
    const size = 11 + random.skewed(600, 2);
    const code = {
      identity: `${name},${hex(SFI_HEAP + index * 0x58)}`,
      script: script + 1,
      source: random.below(30_000),
      address: this.#nextBytecode,
      size,
      tier: 0,
      callback: `,${this.#runtime.callbackAddress()}`,
      sites: Array.from({ length: 2 + random.below(7) }, () => this.#chooseSite(index, functionCount)),
    };
    this.#nextBytecode += Math.ceil((size + 96) / 8) * 8;
    this.#writeCreation(code, 9, "~");
    this.#placeSites(code);
    return code;
  }

  /** A call goes to a near function mostly (one module), else to any, popular ones more often. */
  #chooseSite(caller, functionCount) {
    const random = this.#random;
    const near = (caller + 1 + random.skewed(40, 2)) % functionCount;
    return {
      callee: random.chance(0.6) ? near : random.skewed(functionCount, 2),
      position: random.unit(),
      through: random.chance(0.15) ? `,${this.#runtime.builtinAddress()}` : "",
      frames: "",
    };
  }

  #placeSites(code) {
    for (const site of code.sites) {
      site.frames = `${site.through},${hex(code.address + Math.floor(site.position * code.size))}`;
    }
  }

  #writeCreation(code, kind, tier) {
    const { identity, address, size, script, source } = code;
    this.#log.row(`code-creation,JS,${kind},${this.#log.time},${hex(address)},${size},${identity},${tier}`);
    const positions = [];
    for (let at = 0, from = source; at < size; at += 4 + this.#random.below(40)) {
      positions.push(`C${at}O${from}`);
      from += this.#random.below(30);
    }
    const inlined =
      code.tier > 1 ? `F0O${source + 9}F1O${source + 40}I0,S${hex(SFI_HEAP)}S${hex(SFI_HEAP + 0x58)}` : ",";
    const end = source + 40 * positions.length;
    this.#log.row(
      `code-source-info,${hex(address)},${script},${source},${end},${positions.join("")},${inlined}`,
    );
  }

  #allocateCode(size) {
    const address = this.#nextCode;
    this.#nextCode = Math.ceil((address + size + 64) / 64) * 64;
    return address;
  }

  #functionAt(index) {
    const code = this.functions[index];
    if (code === undefined) throw new Error(`no function ${index}`);
    return code;
  }
}

/** A call stack of a program, kept as the text of a tick's frames so that equal root sides share memory. */
export class Stack {
  /** The text of the frames up to each depth, leaf first. */
  #texts = [""];
  /** The function that runs at each depth. */
  #running;
  #program;
  #random;
  #habit;

  constructor(program, random, habit) {
    this.#program = program;
    this.#random = random;
    this.#habit = habit;
    this.#running = [0];
  }

  /** Calls on the stack; the function on top is not one of them. */
  get depth() {
    return this.#texts.length - 1;
  }

  /** The frames of a tick, leaf first, each with a comma before it. */
  get frames() {
    return String(this.#texts.at(-1));
  }

  /** Index of the function on top. */
  get top() {
    return this.#running.at(-1) ?? 0;
  }

  /** The frame between the function on top and the native code that it calls, with a comma before it. */
  get callback() {
    return this.#program.functions[this.top]?.callback ?? "";
  }

  /** Index of a function on the stack, any of them as often as another. */
  get any() {
    return this.#running[this.#random.below(this.#running.length)] ?? 0;
  }

  /**
   * Returns from the newest calls.
   * `depth` is what remains; no effect on a stack that is not deeper.
   */
  returnTo(depth) {
    if (depth >= this.depth) return;
    this.#texts.length = depth + 1;
    this.#running.length = depth + 1;
  }

  /** Calls on, from the function on top. */
  callTo(depth) {
    while (this.depth < depth) {
      const sites = this.#program.functions[this.top]?.sites ?? [];
      const { trunk, leaf } = this.#habit;
      const skew = depth - this.depth > LEAF_CALLS ? trunk : leaf;
      const site = sites[this.#random.skewed(sites.length, skew)];
      if (site === undefined) throw new Error("a function without calls");
      this.#texts.push(site.frames + this.frames);
      this.#running.push(site.callee);
    }
  }
}
